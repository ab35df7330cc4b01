/**
 * The packages import what the design allows them to import.
 */
import { assert, test } from "vitest"
import { allowed, pureMarker, violationsOf } from "./tools/dependencyRule.ts"
import { repositorySubjects } from "./tools/repositorySubjects.ts"

const subjects = repositorySubjects()

test("every package of the table is looked at, and has sources", () => {
  assert.deepStrictEqual(
    subjects.filter(({ sources }) => sources.length > 0).map(({ name }) => name),
    [...allowed.keys()].toSorted(),
  )
})

test("core has pure modules", () => {
  const core = subjects.find(({ name }) => name === "core")
  assert.isNotEmpty(core?.sources.filter(({ text }) => text.includes(pureMarker)))
})

test.each(subjects.map((subject) => [subject.name, subject] as const))(
  "%s keeps to the dependency rule",
  (_name, subject) => {
    assert.deepStrictEqual(violationsOf(subject), [])
  },
)
