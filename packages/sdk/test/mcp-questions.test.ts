import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { elicit } from '../src/mcp/elicitation.ts'
import { connectMcp, type Mcp } from '../src/mcp/index.ts'
import type { JsonObject } from '../src/protocol/json.ts'
import type { Question, Resolution } from '../src/protocol/requests.ts'
import { agentWorld, results } from '../src/testing/agent-world.ts'
import { toolInputSchema } from '../src/tools/schema.ts'
import { testServer, text, tool } from './fixtures/mcp.ts'

const opened: Mcp[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((mcp) => mcp.close()))
})

type Elicit = (params: ElicitRequestParams) => Promise<ElicitResult>

/** A server whose one tool asks, and tells what came of it. */
async function asking(ask: (elicit: Elicit) => Promise<unknown>): Promise<Mcp> {
  const { server } = testServer({
    tools: [tool('ask', { annotations: { readOnlyHint: true } })],
    call: async ({ elicit }) => text(JSON.stringify(await ask(elicit))),
  })
  const mcp = await connectMcp({ servers: { box: server } })
  opened.push(mcp)
  return mcp
}

/** What a server gets that asks `params`, of a person who answers the questions one request after the other. */
async function elicited(
  params: ElicitRequestParams,
  answers: readonly Resolution[],
  options: { readonly unattended?: true } = {},
) {
  const { tools } = await asking((elicit) => elicit(params))
  const { session: open } = agentWorld([{ calls: [{ name: 'mcp__box__ask' }] }, 'Done.'], { tools, ...options })
  const session = await open()
  const asked: (readonly Question[])[] = []
  const left = [...answers]
  for await (const event of session.run('Ask.')) {
    if (event.type !== 'request') continue
    asked.push(event.request.questions ?? [])
    const receipt = await session.resolve(event.request.id, left.shift() ?? { skipped: true })
    expect(receipt.error).toBeUndefined()
  }
  const [result] = results(session.state)
  return { asked, result: JSON.parse(String(result?.output)) as ElicitResult }
}

const form = (properties: JsonObject, required: string[] = []) =>
  ({ message: 'Who are you?', requestedSchema: { type: 'object', properties, required } }) as ElicitRequestParams
const labels = (question?: Question) => question?.options.map(({ label }) => label)

describe('a form', () => {
  test('is asked as questions, four at once, and answered with values of its types', async () => {
    const params = form(
      {
        name: { type: 'string', title: 'Your full name', description: 'As in a passport', maxLength: 40 },
        age: { type: 'integer', minimum: 0, maximum: 150 },
        agreed: { type: 'boolean' },
        pet: {
          type: 'string',
          enum: ['cat', 'dog', 'fish', 'bird', 'ant'],
          enumNames: ['Cat', 'Dog', 'Fish', 'Bird', 'Ant'],
        },
        hero: { type: 'string', oneOf: [{ const: 'h1', title: 'Superman' }], default: 'h1' },
        foods: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'f1', title: 'Tuna' },
              { const: 'f2', title: 'Trout' },
            ],
          },
        },
        mail: { type: 'string', format: 'email', default: 'a@b.example' },
      },
      ['name'],
    )
    const { asked, result } = await elicited(params, [
      { answers: { name: [' Ada '], age: ['36'], agreed: ['Yes'], pet: ['ant'] } },
      { answers: { foods: ['Trout', 'tuna'], mail: ['ada@b.example'] }, skipped: true },
    ])
    expect(result).toEqual({
      action: 'accept',
      content: {
        name: 'Ada',
        age: 36,
        agreed: true,
        pet: 'ant',
        hero: 'h1',
        foods: ['f2', 'f1'],
        mail: 'ada@b.example',
      },
    })
    const [[name, age, agreed, pet] = [], [hero, foods, mail] = []] = asked
    expect(name).toEqual({
      id: 'name',
      header: 'Your full na',
      question: 'The server "box" asks: Who are you?\nYour full name: As in a passport\n(at most 40 characters)',
      options: [{ label: 'Decline' }, { label: 'Cancel' }],
    })
    expect([age, agreed, pet, hero, foods, mail].map((question) => [question?.question, labels(question)])).toEqual([
      ['age\n(at least 0 and at most 150)', ['Leave out', 'Decline']],
      ['agreed', ['Yes', 'No', 'Leave out', 'Decline']],
      ['pet\nOr write: Ant.', ['Cat', 'Dog', 'Fish', 'Bird']],
      ['The server "box" asks: Who are you?\nhero', ['Superman', 'Decline']],
      ['foods', ['Tuna', 'Trout', 'Leave out', 'Decline']],
      ['mail\n(email)', ['a@b.example', 'Decline']],
    ])
    expect(foods?.multiple).toBe(true)
  })

  test('what does not fit is asked again with the reason, and in the end given up', async () => {
    const params = form({ age: { type: 'integer' }, name: { type: 'string' } }, ['age'])
    const wrong = { answers: { age: ['old'], name: ['Ada'] } }
    const right = await elicited(params, [wrong, { answers: { age: ['7'] } }])
    expect(right.result).toEqual({ action: 'accept', content: { age: 7, name: 'Ada' } })
    expect(right.asked[1]?.map(({ id, question }) => [id, question])).toEqual([
      ['age', expect.stringMatching(/^The server "box" asks: Who are you\?\nThis does not fit: .*integer.*\nage$/s)],
    ])
    const again = { answers: { age: ['older'] } }
    const given = await elicited(params, [wrong, again, again])
    expect([given.asked.length, given.result]).toEqual([3, { action: 'cancel' }])
  })

  test.each<[string, Resolution, ElicitResult]>([
    ['nothing is answered', { skipped: true }, { action: 'cancel' }],
    ['what is required is left out', { answers: { b: ['x'] }, skipped: true }, { action: 'cancel' }],
    ['it is cancelled', { answers: { a: ['Cancel'] }, skipped: true }, { action: 'cancel' }],
    ['it is declined', { answers: { a: ['x'], b: ['Decline'] } }, { action: 'decline' }],
    ['what may be left out is', { answers: { a: ['x'], b: ['Leave out'] } }, { action: 'accept', content: { a: 'x' } }],
  ])('%s', async (_what, answer, expected) => {
    const params = form({ a: { type: 'string' }, b: { type: 'string' } }, ['a'])
    expect((await elicited(params, [answer])).result).toEqual(expected)
  })

  test('without fields asks for consent', async () => {
    expect((await elicited(form({}), [{ answers: { answer: ['Accept'] } }])).result).toEqual({
      action: 'accept',
      content: {},
    })
    expect((await elicited(form({}), [{ answers: { answer: ['Decline'] } }])).result).toEqual({ action: 'decline' })
  })

  test('is cancelled where nobody is there', async () => {
    const { asked, result } = await elicited(form({ a: { type: 'string' } }), [], { unattended: true })
    expect([asked, result]).toEqual([[], { action: 'cancel' }])
  })

  test('a value may be called like one of our own words', async () => {
    const params = form({ a: { type: 'string', enum: ['Decline', 'Cancel', 'Leave out'] } }, ['a'])
    const { asked, result } = await elicited(params, [{ answers: { a: ['Decline'] } }])
    expect(labels(asked[0]?.[0])).toEqual(['Decline', 'Cancel', 'Leave out'])
    expect(result).toEqual({ action: 'accept', content: { a: 'Decline' } })
  })

  test('whatever is answered, what is accepted fits the schema', async () => {
    const schemas: JsonObject[] = [
      { type: 'string', minLength: 2 },
      { type: 'string', format: 'email' },
      { type: 'integer', minimum: 3 },
      { type: 'number', maximum: 9.5 },
      { type: 'boolean' },
      { type: 'string', enum: ['one', 'two'] },
      { type: 'array', minItems: 1, items: { type: 'string', enum: ['one', 'two', 'three'] } },
    ]
    const names = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'with space', 'é')
    const fields = fc.array(fc.tuple(names, fc.constantFrom(...schemas), fc.boolean()), { minLength: 1, maxLength: 6 })
    const words = fc.constantFrom('one', 'two', '5', '2.5', 'Yes', 'no', 'a@b.example', 'Decline', 'Leave out', '', '∞')
    const answers = fc.array(fc.array(words, { maxLength: 3 }), { minLength: 6, maxLength: 18 })
    await fc.assert(
      fc.asyncProperty(fields, answers, async (fields, given) => {
        const properties = Object.fromEntries(fields.map(([name, schema]) => [name, schema]))
        const required = fields.filter(([, , isRequired]) => isRequired).map(([name]) => name)
        const params = form(properties, required)
        const left = [...given]
        const result = await elicit('box', params, async (questions) => {
          const answered = questions.map(({ id }) => [id, left.shift() ?? []] as const)
          return { answers: Object.fromEntries(answered), skipped: false }
        })
        if (result.action !== 'accept') return
        const schema = { type: 'object', properties, required }
        expect(await toolInputSchema('form', schema).validate(result.content)).toMatchObject({ ok: true })
      }),
      { seed: 1, numRuns: 100 },
    )
  })
})

describe('a page to visit', () => {
  const visit = (url: string): ElicitRequestParams => ({ mode: 'url', message: 'Sign in.', url, elicitationId: 'e' })

  test('is shown with its whole address, and never opened', async () => {
    const { asked, result } = await elicited(visit('https://a.example/sign-in?x=1'), [
      { answers: { answer: ['Done'] } },
    ])
    expect(result).toMatchObject({ action: 'accept' })
    expect(asked[0]?.[0]?.question).toBe('The server "box" asks you to open https://a.example/sign-in?x=1\nSign in.')
  })

  test('other schemes are not shown', async () => {
    const { asked, result } = await elicited(visit('javascript:alert(1)'), [])
    expect([asked, result]).toEqual([[], { action: 'cancel' }])
  })
})

test('of two calls at once it is not known who asks, so nobody is asked', async () => {
  let waiting = 0
  let bothWait = (): void => {}
  const both = new Promise<void>((resolve) => {
    bothWait = resolve
  })
  const { tools } = await asking(async (elicit) => {
    if (++waiting === 2) bothWait()
    await both
    return elicit(form({ a: { type: 'string' } }))
  })
  const call = { name: 'mcp__box__ask' }
  const { session: open } = agentWorld([{ calls: [call, call] }, 'Done.'], { tools })
  const session = await open()
  expect((await session.run('Ask twice.').result).reason).toBe('stop')
  // When the first one is over, the other is alone again.
  expect(results(session.state)[0]?.output).toBe('{"action":"cancel"}')
})
