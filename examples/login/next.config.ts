import type { NextConfig } from "next"

const config: NextConfig = {
  // The types are checked by `tsc`, with everything else in this repository.
  typescript: { ignoreBuildErrors: true },
  // The mark of Next's development mode would cover a part of the page.
  devIndicators: false,
  redirects: async () => [{ source: "/", destination: "/en", permanent: false }],
}

export default config
