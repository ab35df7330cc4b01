/** The configuration of the guide, with the browser of this machine. */
import config from "./playwright.config.ts"

const executablePath = process.env["CHROMIUM"]
const launchOptions = {
  ...(executablePath === undefined ? undefined : { executablePath }),
  args: ["--no-sandbox", "--disable-gpu"],
}

export default { ...config, use: { ...config.use, launchOptions } }
