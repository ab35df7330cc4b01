/**
 * A browser for the tests of pages: Debian's Chromium, installed when it is missing and this process
 * may install it.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Browser, chromium } from "playwright-core"

export const executablePath = "/usr/bin/chromium"

/** How long the package manager may take, and as long as that for another test that is at it. */
export const installMillis = 300_000

/** Only the pages that a test opens, without any other connection. */
const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

const run = promisify(execFile)

const installing = `
  [ -e ${executablePath} ] && exit
  apt-get update
  apt-get install -y --no-install-recommends chromium`

/** Test files run side by side, and the package manager refuses to run twice: one installs for all. */
const install = async (): Promise<void> => {
  const lock = join(tmpdir(), "countersign-chromium.lock")
  await run("flock", [lock, "sh", "-ec", installing], {
    timeout: installMillis,
    maxBuffer: 16 * 1024 * 1024,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  })
}

/** Why there is no browser; `undefined` when there is one. */
export const missingBrowser = async (): Promise<string | undefined> => {
  if (existsSync(executablePath)) return undefined
  if (process.getuid?.() !== 0) return `${executablePath} is missing, and only root may install it`
  try {
    await install()
    return existsSync(executablePath) ? undefined : `the package did not bring ${executablePath}`
  } catch (error) {
    return `chromium could not be installed: ${String(error)}`
  }
}

/** A browser that has never been used before: its profile is made for it, and removed with it. */
export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath, args })
