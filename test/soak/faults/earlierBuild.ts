/** A checkout of an earlier commit, with the installed packages of this one. */
import { execFileSync } from "node:child_process"
import { cpSync, globSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../tools/paths.ts"

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", [...args], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

export const hasCommit = (commit: string): boolean => {
  try {
    git("cat-file", "-e", `${commit}^{commit}`)
    return true
  } catch {
    return false
  }
}

/** What is not under version control: links to installed packages, and built pages. */
const untracked = [
  "{packages,examples}/*/node_modules",
  "packages/dashboard/src/internal/built",
  "packages/postgres/src/internal/pglite/initialData.br",
]

export interface EarlierBuild {
  readonly folder: string
  readonly remove: () => void
}

export const checkOut = (commit: string): EarlierBuild => {
  const folder = join(mkdtempSync(join(tmpdir(), "countersign-build-")), "build")
  git("worktree", "add", "--detach", folder, commit)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  for (const path of globSync(untracked, { cwd: root })) {
    // The links are relative.
    cpSync(join(root, path), join(folder, path), { recursive: true, verbatimSymlinks: true })
  }
  return {
    folder,
    remove: () => {
      git("worktree", "remove", "--force", folder)
      rmSync(join(folder, ".."), { recursive: true, force: true })
    },
  }
}
