import type { PageTexts } from "../dictionary.ts"

export const audit: Pick<PageTexts, "audit"> = {
  audit: {
    title: "নিরীক্ষা",
    intro: "কে কখন কী বদলেছে। লেখা কখনো বদলায় না।",
    actor: "কে",
    action: "কী",
    target: "লক্ষ্য",
    origin: "কোথা থেকে",
    before: "আগে",
    after: "পরে",
    details: "লেখা {sequence}",
    show: "বিস্তারিত",
    empty: "এখনো কিছু বদলানো হয়নি।",
    none: "এই পাতায় কিছু মেলেনি।",
    noneHint: "আগের লেখায় থাকতে পারে।",
  },
}
