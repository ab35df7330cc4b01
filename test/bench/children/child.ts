/**
 * Measurements that need a process of their own: a heap without unrelated objects, code that is not
 * warmed up, or a cold start.
 */
import { fork } from "node:child_process"
import { join } from "node:path"

/** Runs a script and waits for its only message and its end. */
export const runScript = <A>(
  script: string,
  input: unknown,
  execArgv: ReadonlyArray<string> = [],
): Promise<A> =>
  new Promise((resolve, reject) => {
    const child = fork(script, [JSON.stringify(input)], { execArgv: [...execArgv] })
    const answers: Array<A> = []
    child.on("message", (message: A) => void answers.push(message))
    child.once("error", reject)
    child.once("exit", (code) => {
      const [answer] = answers
      if (code === 0 && answer !== undefined) resolve(answer)
      else reject(new Error(`${script} ended with ${code} and ${answers.length} answers`))
    })
  })

/** Runs `children/<name>.ts`. */
export const runChild = <A>(
  name: string,
  input: unknown,
  execArgv: ReadonlyArray<string> = [],
): Promise<A> => runScript(join(import.meta.dirname, `${name}.ts`), input, execArgv)

/** The input from the parent. */
export const inputOf = <A>(): A => JSON.parse(process.argv[2] ?? "{}")

/** Sends the only answer to the parent; a child that is started by hand prints it. */
export const answer = (value: object): void => {
  if (process.send === undefined) console.log(JSON.stringify(value, undefined, 2))
  else process.send(value)
}
