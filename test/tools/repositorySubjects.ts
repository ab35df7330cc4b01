/**
 * The packages of this repository, as the dependency rule looks at them.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Subject } from "./dependencyRule.ts"
import { filesIn, type Package, publicPackages } from "./workspace.ts"

const subjectOf = ({ folder, path, manifest }: Package): Subject => ({
  name: folder.slice(folder.lastIndexOf("/") + 1),
  declared: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  sources: filesIn(path, "{src,test}/**/*.{ts,mts,tsx}").map((file) => ({
    file,
    text: readFileSync(join(path, file), "utf8"),
  })),
})

export const repositorySubjects = (): ReadonlyArray<Subject> => publicPackages().map(subjectOf)
