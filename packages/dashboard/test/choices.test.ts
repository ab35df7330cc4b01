import { assert, it } from "vitest"
import { choicesOf } from "../app/pages/audit/choices.ts"

const entry = (actor: string, actorName: string | null, target: string | null) => ({
  actor,
  actorName,
  target,
})

it("offers each actor and each target once, the newest first", () => {
  assert.deepStrictEqual(
    choicesOf([
      entry("u-2", "Amir", "key-1"),
      entry("host", null, null),
      entry("u-2", "Amir Hossain", "key-2"),
      entry("host", null, "key-1"),
    ]),
    {
      actors: [
        { value: "u-2", label: "Amir (u-2)" },
        { value: "host", label: "host" },
      ],
      targets: [
        { value: "key-1", label: "key-1" },
        { value: "key-2", label: "key-2" },
      ],
    },
  )
})

it("offers at most 20 of each", () => {
  const many = Array.from({ length: 50 }, (_, index) => entry(`a${index}`, null, `t${index}`))
  const { actors, targets } = choicesOf(many)
  assert.deepStrictEqual([actors.length, targets.length], [20, 20])
})
