import { expect, test } from 'vitest'
import { CALLS, type Call, type Moment, race } from './fixtures/races.ts'
// Loaded when a call first needs them: here before, so that every race starts from the same line.
import '../src/agent/rare.ts'
import '../src/tools/json-validator.ts'
import '../src/tools/rare.ts'

/**
 * Every pair of calls, in both orders: what the first comes to, what the second comes to, and then the runs in order with
 * their ends and what became of the inputs. `1` is the first input, `q` waits in the queue, `R` comes by `run`, `S` by
 * `send`, `C` is a run of `continue`. The moments are explained in `fixtures/races.ts`; no run is open in `idle`, so none
 * can end.
 */
const TABLE: Record<Moment, string> = {
  idle: `
    run run                  stop, session.busy: 1 content-filter, R stop, q stop
    run send                 stop, steered: 1 content-filter, S joins, R stop, q stop
    run abort                aborted, done: 1 content-filter, q returned, R aborted
    run resolve              stop, request.unknown: 1 content-filter, R stop, q stop
    run continue             stop, session.busy: 1 content-filter, R stop, q stop
    run changeInput          stop, done: 1 content-filter, q removed, R stop
    run rewind               stop, session.busy: 1 content-filter, R stop, q stop
    run fork                 stop, done: 1 content-filter, R stop, q stop
    run close                stop, done: 1 content-filter, R stop, q stop

    send run                 started, session.busy: 1 content-filter, S stop, q stop
    send send                started, steered: 1 content-filter, S joins, S stop, q stop
    send abort               started, done: 1 content-filter, q returned, S aborted
    send resolve             started, request.unknown: 1 content-filter, S stop, q stop
    send continue            started, session.busy: 1 content-filter, S stop, q stop
    send changeInput         started, done: 1 content-filter, q removed, S stop
    send rewind              started, session.busy: 1 content-filter, S stop, q stop
    send fork                started, done: 1 content-filter, S stop, q stop
    send close               started, done: 1 content-filter, S stop, q stop

    abort run                session.run-not-open, stop: 1 content-filter, R stop, q stop
    abort send               session.run-not-open, started: 1 content-filter, S stop, q stop
    abort abort              session.run-not-open, session.run-not-open: 1 content-filter, q waits
    abort resolve            session.run-not-open, request.unknown: 1 content-filter, q waits
    abort continue           session.run-not-open, stop: 1 content-filter, C stop, q stop
    abort changeInput        session.run-not-open, done: 1 content-filter, q removed
    abort rewind             session.run-not-open, done: 1 content-filter, q waits
    abort fork               session.run-not-open, done: 1 content-filter, q waits
    abort close              session.run-not-open, done: 1 content-filter, q waits

    resolve run              request.unknown, stop: 1 content-filter, R stop, q stop
    resolve send             request.unknown, started: 1 content-filter, S stop, q stop
    resolve abort            request.unknown, session.run-not-open: 1 content-filter, q waits
    resolve resolve          request.unknown, request.unknown: 1 content-filter, q waits
    resolve continue         request.unknown, stop: 1 content-filter, C stop, q stop
    resolve changeInput      request.unknown, done: 1 content-filter, q removed
    resolve rewind           request.unknown, done: 1 content-filter, q waits
    resolve fork             request.unknown, done: 1 content-filter, q waits
    resolve close            request.unknown, done: 1 content-filter, q waits

    continue run             stop, session.busy: 1 content-filter, C stop, q stop
    continue send            stop, steered: 1 content-filter, S joins, C stop, q stop
    continue abort           aborted, done: 1 content-filter, q returned, C aborted
    continue resolve         stop, request.unknown: 1 content-filter, C stop, q stop
    continue continue        stop, session.busy: 1 content-filter, C stop, q stop
    continue changeInput     stop, done: 1 content-filter, q removed, C stop
    continue rewind          stop, session.busy: 1 content-filter, C stop, q stop
    continue fork            stop, done: 1 content-filter, C stop, q stop
    continue close           stop, done: 1 content-filter, C stop, q stop

    changeInput run          done, stop: 1 content-filter, q removed, R stop
    changeInput send         done, started: 1 content-filter, q removed, S stop
    changeInput abort        done, session.run-not-open: 1 content-filter, q removed
    changeInput resolve      done, request.unknown: 1 content-filter, q removed
    changeInput continue     done, stop: 1 content-filter, q removed, C stop
    changeInput changeInput  done, input.unknown: 1 content-filter, q removed
    changeInput rewind       done, done: 1 content-filter, q removed
    changeInput fork         done, done: 1 content-filter, q removed
    changeInput close        done, done: 1 content-filter, q removed

    rewind run               done, stop: 1 content-filter, R stop, q stop
    rewind send              done, started: 1 content-filter, S stop, q stop
    rewind abort             done, session.run-not-open: 1 content-filter, q waits
    rewind resolve           done, request.unknown: 1 content-filter, q waits
    rewind continue          done, stop: 1 content-filter, C stop, q stop
    rewind changeInput       done, done: 1 content-filter, q removed
    rewind rewind            done, done: 1 content-filter, q waits
    rewind fork              done, done: 1 content-filter, q waits
    rewind close             done, done: 1 content-filter, q waits

    fork run                 done, stop: 1 content-filter, R stop, q stop
    fork send                done, started: 1 content-filter, S stop, q stop
    fork abort               done, session.run-not-open: 1 content-filter, q waits
    fork resolve             done, request.unknown: 1 content-filter, q waits
    fork continue            done, stop: 1 content-filter, C stop, q stop
    fork changeInput         done, done: 1 content-filter, q removed
    fork rewind              done, done: 1 content-filter, q waits
    fork fork                done, done: 1 content-filter, q waits
    fork close               done, done: 1 content-filter, q waits

    close run                done, stop: 1 content-filter, R stop, q stop
    close send               done, started: 1 content-filter, S stop, q stop
    close abort              done, session.run-not-open: 1 content-filter, q waits
    close resolve            done, request.unknown: 1 content-filter, q waits
    close continue           done, stop: 1 content-filter, C stop, q stop
    close changeInput        done, done: 1 content-filter, q removed
    close rewind             done, done: 1 content-filter, q waits
    close fork               done, done: 1 content-filter, q waits
    close close              done, done: 1 content-filter, q waits
  `,
  streaming: `
    run run                  session.busy, session.busy: 1 stop, q stop
    run send                 session.busy, steered: S joins, 1 stop, q stop
    run abort                session.busy, done: q returned, 1 aborted
    run resolve              session.busy, request.unknown: 1 stop, q stop
    run continue             session.busy, session.busy: 1 stop, q stop
    run changeInput          session.busy, done: q removed, 1 stop
    run rewind               session.busy, session.busy: 1 stop, q stop
    run fork                 session.busy, session.busy: 1 stop, q stop
    run close                session.busy, done: 1 stop, q stop
    run end                  session.busy, over: 1 stop, q stop

    send run                 steered, session.busy: S joins, 1 stop, q stop
    send send                steered, steered: S joins, S joins, 1 stop, q stop
    send abort               steered, done: S returned, q returned, 1 aborted
    send resolve             steered, request.unknown: S joins, 1 stop, q stop
    send continue            steered, session.busy: S joins, 1 stop, q stop
    send changeInput         steered, done: q removed, S joins, 1 stop
    send rewind              steered, session.busy: S joins, 1 stop, q stop
    send fork                steered, session.busy: S joins, 1 stop, q stop
    send close               steered, done: S joins, 1 stop, q stop
    send end                 steered, over: S joins, 1 stop, q stop

    abort run                done, session.busy: q returned, 1 aborted
    abort send               done, queued: q returned, 1 aborted, S stop
    abort abort              done, done: q returned, 1 aborted
    abort resolve            done, request.unknown: q returned, 1 aborted
    abort continue           done, session.busy: q returned, 1 aborted
    abort changeInput        done, input.unknown: q returned, 1 aborted
    abort rewind             done, session.busy: q returned, 1 aborted
    abort fork               done, session.busy: q returned, 1 aborted
    abort close              done, done: q returned, 1 aborted
    abort end                done, over: q returned, 1 aborted

    resolve run              request.unknown, session.busy: 1 stop, q stop
    resolve send             request.unknown, steered: S joins, 1 stop, q stop
    resolve abort            request.unknown, done: q returned, 1 aborted
    resolve resolve          request.unknown, request.unknown: 1 stop, q stop
    resolve continue         request.unknown, session.busy: 1 stop, q stop
    resolve changeInput      request.unknown, done: q removed, 1 stop
    resolve rewind           request.unknown, session.busy: 1 stop, q stop
    resolve fork             request.unknown, session.busy: 1 stop, q stop
    resolve close            request.unknown, done: 1 stop, q stop
    resolve end              request.unknown, over: 1 stop, q stop

    continue run             session.busy, session.busy: 1 stop, q stop
    continue send            session.busy, steered: S joins, 1 stop, q stop
    continue abort           session.busy, done: q returned, 1 aborted
    continue resolve         session.busy, request.unknown: 1 stop, q stop
    continue continue        session.busy, session.busy: 1 stop, q stop
    continue changeInput     session.busy, done: q removed, 1 stop
    continue rewind          session.busy, session.busy: 1 stop, q stop
    continue fork            session.busy, session.busy: 1 stop, q stop
    continue close           session.busy, done: 1 stop, q stop
    continue end             session.busy, over: 1 stop, q stop

    changeInput run          done, session.busy: q removed, 1 stop
    changeInput send         done, steered: q removed, S joins, 1 stop
    changeInput abort        done, done: q removed, 1 aborted
    changeInput resolve      done, request.unknown: q removed, 1 stop
    changeInput continue     done, session.busy: q removed, 1 stop
    changeInput changeInput  done, input.unknown: q removed, 1 stop
    changeInput rewind       done, session.busy: q removed, 1 stop
    changeInput fork         done, session.busy: q removed, 1 stop
    changeInput close        done, done: q removed, 1 stop
    changeInput end          done, over: q removed, 1 stop

    rewind run               session.busy, session.busy: 1 stop, q stop
    rewind send              session.busy, steered: S joins, 1 stop, q stop
    rewind abort             session.busy, done: q returned, 1 aborted
    rewind resolve           session.busy, request.unknown: 1 stop, q stop
    rewind continue          session.busy, session.busy: 1 stop, q stop
    rewind changeInput       session.busy, done: q removed, 1 stop
    rewind rewind            session.busy, session.busy: 1 stop, q stop
    rewind fork              session.busy, session.busy: 1 stop, q stop
    rewind close             session.busy, done: 1 stop, q stop
    rewind end               session.busy, over: 1 stop, q stop

    fork run                 session.busy, session.busy: 1 stop, q stop
    fork send                session.busy, steered: S joins, 1 stop, q stop
    fork abort               session.busy, done: q returned, 1 aborted
    fork resolve             session.busy, request.unknown: 1 stop, q stop
    fork continue            session.busy, session.busy: 1 stop, q stop
    fork changeInput         session.busy, done: q removed, 1 stop
    fork rewind              session.busy, session.busy: 1 stop, q stop
    fork fork                session.busy, session.busy: 1 stop, q stop
    fork close               session.busy, done: 1 stop, q stop
    fork end                 session.busy, over: 1 stop, q stop

    close run                done, session.busy: 1 stop, q stop
    close send               done, steered: S joins, 1 stop, q stop
    close abort              done, done: q returned, 1 aborted
    close resolve            done, request.unknown: 1 stop, q stop
    close continue           done, session.busy: 1 stop, q stop
    close changeInput        done, done: q removed, 1 stop
    close rewind             done, session.busy: 1 stop, q stop
    close fork               done, session.busy: 1 stop, q stop
    close close              done, done: 1 stop, q stop
    close end                done, over: 1 stop, q stop

    end run                  over, stop: 1 stop, q stop, R stop
    end send                 over, started: 1 stop, q stop, S stop
    end abort                over, session.run-not-open: 1 stop, q stop
    end resolve              over, request.unknown: 1 stop, q stop
    end continue             over, session.nothing-to-continue: 1 stop, q stop
    end changeInput          over, input.unknown: 1 stop, q stop
    end rewind               over, done: 1 stop, q stop
    end fork                 over, done: 1 stop, q stop
    end close                over, done: 1 stop, q stop
    end end                  over, over: 1 stop, q stop
  `,
  parked: `
    run run                  session.busy, session.busy: 1 stop, q stop
    run send                 session.busy, steered: S joins, 1 stop, q stop
    run abort                session.busy, done: q returned, 1 aborted
    run resolve              session.busy, done: 1 stop, q stop
    run continue             session.busy, session.busy: 1 stop, q stop
    run changeInput          session.busy, done: q removed, 1 stop
    run rewind               session.busy, session.busy: 1 stop, q stop
    run fork                 session.busy, session.busy: 1 stop, q stop
    run close                session.busy, done: 1 stop, q stop
    run end                  session.busy, over: 1 stop, q stop

    send run                 steered, session.busy: S joins, 1 stop, q stop
    send send                steered, steered: S joins, S joins, 1 stop, q stop
    send abort               steered, done: S returned, q returned, 1 aborted
    send resolve             steered, done: S joins, 1 stop, q stop
    send continue            steered, session.busy: S joins, 1 stop, q stop
    send changeInput         steered, done: q removed, S joins, 1 stop
    send rewind              steered, session.busy: S joins, 1 stop, q stop
    send fork                steered, session.busy: S joins, 1 stop, q stop
    send close               steered, done: S joins, 1 stop, q stop
    send end                 steered, over: S joins, 1 stop, q stop

    abort run                done, session.busy: q returned, 1 aborted
    abort send               done, queued: q returned, 1 aborted, S stop
    abort abort              done, done: q returned, 1 aborted
    abort resolve            done, request.already-resolved: q returned, 1 aborted
    abort continue           done, session.busy: q returned, 1 aborted
    abort changeInput        done, input.unknown: q returned, 1 aborted
    abort rewind             done, session.busy: q returned, 1 aborted
    abort fork               done, session.busy: q returned, 1 aborted
    abort close              done, done: q returned, 1 aborted
    abort end                done, over: q returned, 1 aborted

    resolve run              done, session.busy: 1 stop, q stop
    resolve send             done, steered: S joins, 1 stop, q stop
    resolve abort            done, done: q returned, 1 aborted
    resolve resolve          done, request.already-resolved: 1 stop, q stop
    resolve continue         done, session.busy: 1 stop, q stop
    resolve changeInput      done, done: q removed, 1 stop
    resolve rewind           done, session.busy: 1 stop, q stop
    resolve fork             done, session.busy: 1 stop, q stop
    resolve close            done, done: 1 stop, q stop
    resolve end              done, over: 1 stop, q stop

    continue run             session.busy, session.busy: 1 stop, q stop
    continue send            session.busy, steered: S joins, 1 stop, q stop
    continue abort           session.busy, done: q returned, 1 aborted
    continue resolve         session.busy, done: 1 stop, q stop
    continue continue        session.busy, session.busy: 1 stop, q stop
    continue changeInput     session.busy, done: q removed, 1 stop
    continue rewind          session.busy, session.busy: 1 stop, q stop
    continue fork            session.busy, session.busy: 1 stop, q stop
    continue close           session.busy, done: 1 stop, q stop
    continue end             session.busy, over: 1 stop, q stop

    changeInput run          done, session.busy: q removed, 1 stop
    changeInput send         done, steered: q removed, S joins, 1 stop
    changeInput abort        done, done: q removed, 1 aborted
    changeInput resolve      done, done: q removed, 1 stop
    changeInput continue     done, session.busy: q removed, 1 stop
    changeInput changeInput  done, input.unknown: q removed, 1 stop
    changeInput rewind       done, session.busy: q removed, 1 stop
    changeInput fork         done, session.busy: q removed, 1 stop
    changeInput close        done, done: q removed, 1 stop
    changeInput end          done, over: q removed, 1 stop

    rewind run               session.busy, session.busy: 1 stop, q stop
    rewind send              session.busy, steered: S joins, 1 stop, q stop
    rewind abort             session.busy, done: q returned, 1 aborted
    rewind resolve           session.busy, done: 1 stop, q stop
    rewind continue          session.busy, session.busy: 1 stop, q stop
    rewind changeInput       session.busy, done: q removed, 1 stop
    rewind rewind            session.busy, session.busy: 1 stop, q stop
    rewind fork              session.busy, session.busy: 1 stop, q stop
    rewind close             session.busy, done: 1 stop, q stop
    rewind end               session.busy, over: 1 stop, q stop

    fork run                 session.busy, session.busy: 1 stop, q stop
    fork send                session.busy, steered: S joins, 1 stop, q stop
    fork abort               session.busy, done: q returned, 1 aborted
    fork resolve             session.busy, done: 1 stop, q stop
    fork continue            session.busy, session.busy: 1 stop, q stop
    fork changeInput         session.busy, done: q removed, 1 stop
    fork rewind              session.busy, session.busy: 1 stop, q stop
    fork fork                session.busy, session.busy: 1 stop, q stop
    fork close               session.busy, done: 1 stop, q stop
    fork end                 session.busy, over: 1 stop, q stop

    close run                done, session.busy: 1 stop, q stop
    close send               done, steered: S joins, 1 stop, q stop
    close abort              done, done: q returned, 1 aborted
    close resolve            done, done: 1 stop, q stop
    close continue           done, session.busy: 1 stop, q stop
    close changeInput        done, done: q removed, 1 stop
    close rewind             done, session.busy: 1 stop, q stop
    close fork               done, session.busy: 1 stop, q stop
    close close              done, done: 1 stop, q stop
    close end                done, over: 1 stop, q stop

    end run                  over, stop: 1 stop, q stop, R stop
    end send                 over, started: 1 stop, q stop, S stop
    end abort                over, session.run-not-open: 1 stop, q stop
    end resolve              over, request.already-resolved: 1 stop, q stop
    end continue             over, session.nothing-to-continue: 1 stop, q stop
    end changeInput          over, input.unknown: 1 stop, q stop
    end rewind               over, done: 1 stop, q stop
    end fork                 over, done: 1 stop, q stop
    end close                over, done: 1 stop, q stop
    end end                  over, over: 1 stop, q stop
  `,
}

const calls = Object.keys(CALLS) as Call[]

test.each(Object.keys(TABLE) as Moment[])(
  'any two calls in the same tick, %s',
  async (moment) => {
    const expected = TABLE[moment]
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    const happened: string[] = []
    for (const one of calls) {
      for (const other of calls) {
        if (moment === 'idle' && (one === 'end' || other === 'end')) continue
        const { text, broken, next } = await race(moment, one, other)
        happened.push(`${`${one} ${other}`.padEnd(24)} ${text}`)
        expect([one, other, broken, next]).toEqual([one, other, [], 'stop'])
      }
    }
    expect(happened).toEqual(expected)
  },
  60_000,
)

test.each(['streaming', 'parked'] as const)(
  'any call at any moment of the end, %s',
  async (moment) => {
    for (const other of calls) {
      for (let after = 0; after < 40; after += 2) {
        const { broken, next } = await race(moment, 'end', other, after)
        expect([other, after, broken, next]).toEqual([other, after, [], 'stop'])
      }
    }
  },
  60_000,
)
