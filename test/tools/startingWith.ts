/** The order in which vitest runs files. */
import { join } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { root } from "./paths.ts"

/**
 * A sequencer that starts with the files given, relative to the root: those that take the longest. As the last ones
 * they would keep one worker busy while the others have nothing left.
 */
export const startingWith = (longest: ReadonlyArray<string>): typeof BaseSequencer => {
  const paths = longest.map((file) => join(root, file))
  const rank = ({ moduleId }: TestSpecification): number =>
    paths.includes(moduleId) ? paths.indexOf(moduleId) : paths.length
  return class extends BaseSequencer {
    override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
      // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's method
      const sorted = await super.sort(files)
      return sorted.toSorted((one, other) => rank(one) - rank(other))
    }
  }
}
