/**
 * Programs of Debian for tests: fetched by its package manager and unpacked into a folder of our own, so
 * that nothing is installed, nothing is started, and no test needs root.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

/** How long fetching may take, and as long as that for another test that is at it. */
export const fetchMillis = 300_000

export interface Programs {
  /** The path of a program of the packages, whether they were unpacked or installed before. */
  readonly path: (program: string) => string
  /** What the programs need to find their libraries and modules. */
  readonly env: Readonly<Record<string, string>>
}

/** Why there are no programs. Tests that need them are then skipped, never passed. */
export interface Missing {
  readonly missing: string
}

// Test files run side by side: one of them fetches for all. What is installed already is not listed as
// to be installed, and is not fetched.
const fetching = `
  folder=$1; shift
  umask 077; mkdir -p "$folder"
  [ -O "$folder" ] || { echo "$folder belongs to another user" >&2; exit 1; }
  exec 9> "$folder/lock"; flock 9
  [ -e "$folder/ready" ] && exit
  plan() { apt-get -s install --no-install-recommends "$@"; }
  plan "$@" > "$folder/plan" 2> "$folder/log" || {
    [ "$(id -u)" = 0 ] && apt-get update >> "$folder/log" 2>&1
    plan "$@" > "$folder/plan"
  }
  cd "$folder"; mkdir -p root
  names=$(sed -n 's/^Inst \\([^ ]*\\).*/\\1/p' plan)
  # The mirror keeps the newest alone: a list from last month names what is gone.
  [ -z "$names" ] || apt-get download $names >> log 2>&1 || {
    [ "$(id -u)" = 0 ] && apt-get update >> log 2>&1
    apt-get download $names >> log 2>&1 || { tail -n 3 log >&2; exit 1; }
  }
  for file in *.deb; do
    if [ -e "$file" ]; then dpkg -x "$file" root; rm "$file"; fi
  done
  touch ready`

const run = promisify(execFile)

const triplets: Readonly<Record<string, string>> = {
  arm64: "aarch64-linux-gnu",
  x64: "x86_64-linux-gnu",
}

/** Debian packages with everything that they depend on. */
export const programsOf = async (
  ...packages: ReadonlyArray<string>
): Promise<Programs | Missing> => {
  const { uid } = userInfo()
  const folder = join(tmpdir(), `countersign-debian-${uid}-${packages.join("-")}`)
  try {
    await run("bash", ["-ec", fetching, "bash", folder, ...packages], { timeout: fetchMillis })
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? error.stderr : error
    return { missing: `${packages.join(" and ")} could not be fetched: ${String(said)}` }
  }
  const root = join(folder, "root")
  const triplet = triplets[process.arch] ?? ""
  return {
    path: (program) => {
      const unpacked = join(root, program)
      return existsSync(unpacked) ? unpacked : program
    },
    env: {
      LD_LIBRARY_PATH: ["usr/lib", "lib"].map((lib) => join(root, lib, triplet)).join(":"),
      PERL5LIB: join(root, "usr/share/perl5"),
    },
  }
}
