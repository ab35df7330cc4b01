/** The audit. Loaded with the page. */
export const audit = {
  audit: {
    title: "Audit",
    intro: "Who changed what, and when. Entries never change.",
    actor: "Who",
    action: "What",
    target: "Target",
    origin: "From where",
    before: "Before",
    after: "After",
    details: "Entry {sequence}",
    show: "Details",
    empty: "Nothing was changed yet.",
    none: "No entry of this page matches.",
    noneHint: "Older entries may match.",
  },
}
