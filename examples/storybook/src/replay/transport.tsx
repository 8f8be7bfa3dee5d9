import { type ReactNode, useSyncExternalStore } from 'react'
import { Icon } from 'stepwell-example-chat-kit'
import { type Player, SPEEDS } from './player.ts'

/** Plays the log again, at some speed, and goes to any place in it. */
export function Transport({ player }: { readonly player: Player }): ReactNode {
  const { isPlaying, speed, position, length } = useSyncExternalStore(player.subscribe, () => player.state)
  const { start } = player
  if (length - start < 2) return null
  return (
    <fieldset className="transport" dir="ltr">
      <legend className="unseen">Replay</legend>
      <button
        type="button"
        className="icon-button small"
        aria-label={isPlaying ? 'Pause' : 'Play'}
        onClick={() => (isPlaying ? player.pause() : player.play())}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <input
        type="range"
        aria-label="Place in the log"
        min={start}
        max={length}
        value={position}
        onChange={({ target }) => player.seek(Number(target.value))}
      />
      <output>
        {position - start} of {length - start}
      </output>
      <div className="speeds">
        {SPEEDS.map((one) => (
          <button key={one} type="button" aria-pressed={one === speed} onClick={() => player.setSpeed(one)}>
            {one}×
          </button>
        ))}
      </div>
    </fieldset>
  )
}
