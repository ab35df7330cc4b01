import type { Metadata } from "next"
import type { ReactNode } from "react"

export const metadata: Metadata = { title: "Sign in by phone" }

const Layout = ({ children }: { readonly children: ReactNode }) => (
  <html lang="en">
    <body>{children}</body>
  </html>
)

export default Layout
