/**
 * `pnpm check:deps`: holds the imports of every package against the dependency rule.
 */
import { violationsOf } from "./dependencyRule.ts"
import { repositorySubjects } from "./repositorySubjects.ts"

const violations = repositorySubjects().flatMap((subject) =>
  violationsOf(subject).map((violation) => ({ name: subject.name, ...violation })),
)

for (const { name, file, line, message } of violations) {
  console.error(`packages/${name}/${file}:${line} ${message}`)
}
process.exitCode = violations.length === 0 ? 0 : 1
