import type { NextConfig } from "next"

const config: NextConfig = {
  // The types are checked by `tsc`, with everything else in this repository.
  typescript: { ignoreBuildErrors: true },
  // The dashboard is at `/dashboard/`. Next would lead from there to `/dashboard`, which leads back.
  skipTrailingSlashRedirect: true,
}

export default config
