import { useQuestions } from '@stepwell/react'
import type { Answers, Question } from '@stepwell/sdk'
import type { RequestItem } from '@stepwell/sdk/view'
import type { FormEvent, ReactNode } from 'react'

/** The questions of one call: options, words of one's own, or neither. */
export function QuestionForm({ item }: { readonly item: RequestItem }): ReactNode {
  const { answer, skip } = useQuestions()
  const { request, status, error } = item
  const questions = request.questions ?? []
  const isBusy = status === 'answering'

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const answers = answersOf(questions, new FormData(event.currentTarget))
    void (Object.keys(answers).length === 0 ? skip(request.id) : answer(request.id, answers))
  }
  return (
    <form className="questions" dir="auto" aria-busy={isBusy} onSubmit={onSubmit}>
      {questions.map((question) => (
        <QuestionField key={question.id} question={question} />
      ))}
      <div className="decisions">
        <button type="submit" className="button main" disabled={isBusy}>
          Answer
        </button>
        <button type="button" className="button quiet" disabled={isBusy} onClick={() => void skip(request.id)}>
          Skip
        </button>
      </div>
      {error && (
        <p className="failed" role="alert">
          {error.message}
        </p>
      )}
    </form>
  )
}

function QuestionField({ question: { id, question, options, multiple } }: { readonly question: Question }): ReactNode {
  return (
    <fieldset>
      <legend>
        {question}
        {multiple && <small> Choose any.</small>}
      </legend>
      <div className="options">
        {options.map(({ label, description }) => (
          <label key={label} className="option">
            <input type={multiple ? 'checkbox' : 'radio'} name={id} value={label} />
            <span>
              {label}
              {description && <small>{description}</small>}
            </span>
          </label>
        ))}
        <input
          className="field"
          name={ownName(id)}
          aria-label={`In your own words: ${question}`}
          placeholder="In your own words"
          dir="auto"
        />
      </div>
    </fieldset>
  )
}

function ownName(id: string): string {
  return `${id} in own words`
}

/** What was written counts instead of a single choice, and beside several. */
function answersOf(questions: readonly Question[], form: FormData): Answers {
  const entries = questions.map(({ id, multiple }): [string, string[]] => {
    const chosen = form.getAll(id).map(String)
    const own = String(form.get(ownName(id)) ?? '').trim()
    if (own === '') return [id, chosen]
    return [id, multiple ? [...chosen, own] : [own]]
  })
  return Object.fromEntries(entries.filter(([, answer]) => answer.length > 0))
}
