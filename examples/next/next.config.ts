import type { NextConfig } from "next"

const config: NextConfig = {
  // The types are checked by `tsc`, with everything else in this repository.
  typescript: { ignoreBuildErrors: true },
}

export default config
