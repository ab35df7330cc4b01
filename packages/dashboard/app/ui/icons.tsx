/** Icons of one stroke. They repeat a label beside them, so screen readers skip them. */
const paths = {
  overview: "M4 19V10M10 19V5M16 19v-6M21 19H3",
  apiKeys: "M15 9a4 4 0 1 1-3.5-3.97A4 4 0 0 1 15 9Zm-1 3 7 7m-3-3 2-2",
  messages: "M4 5h16v11H9l-5 4V5Z",
  verifications: "M12 3 5 6v5c0 4.5 2.9 8.3 7 10 4.1-1.700 7-5.500 7-10V6l-7-3Zm-3 9 2 2 4-4",
  batches: "M4 4h16M4 8h16M4 12h16v8H4Z",
  refusals: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM5.700 5.700l12.600 12.600",
  senders: "M4 20l3-1 12-12-2-2L5 17l-1 3Zm11-13 2 2",
  balance: "M3 7h18v11H3V7Zm0 3h18M7 15h3",
  fraud: "M12 4 2.500 20h19L12 4Zm0 6v4m0 3v.01",
  gateways: "M5 12a10 10 0 0 1 14 0M8 15a6 6 0 0 1 8 0M12 18.500v.01M2 9a14 14 0 0 1 20 0",
  webhooks:
    "M9 8a3 3 0 1 1 4.500 2.600L16 15m2 4a3 3 0 1 0-2.500-4.600H9M6 13a3 3 0 1 0 3 3l2.500-6",
  settings:
    "M4 7h10m4 0h2M4 17h2m4 0h10M16 7a2 2 0 1 1-4 0 2 2 0 0 1 4 0Zm-6 10a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z",
  audit: "M6 3h9l4 4v14H6V3Zm3 8h7M9 15h7M9 7h3",
  tryIt: "M6 4l14 8-14 8V4Z",
  organizations: "M4 21V5h9v16M13 10h7v11M2 21h20M7 9h3M7 13h3M7 17h3m6-3h1m-1 3h1",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  chevron: "M7 10l5 5 5-5",
  plus: "M12 5v14M5 12h14",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5",
  check: "M5 12.500l4.500 4.500L19 7.500",
  user: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 9a8 8 0 0 1 16 0",
  external: "M14 4h6v6m0-6-9 9M18 14v6H4V6h6",
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)
