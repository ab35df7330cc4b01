import type { PageTexts } from "../dictionary.ts"

export const found: Pick<PageTexts, "found"> = {
  found: {
    title: "খোঁজার ফল",
    intro: "“{query}”-এর জন্য।",
    none: "এই নম্বর বা আইডির কিছু নেই।",
    noneHint: "সংরক্ষণের সময় শেষে মুছে গেছে, অথবা এটি অন্য প্রতিষ্ঠানের।",
    organizations: "প্রতিষ্ঠান",
    kinds: {
      verification: "যাচাই",
      message: "বার্তা",
      api_key: "API কী",
      webhook: "ওয়েবহুক",
      payment: "পেমেন্ট",
    },
    allVerifications: "এই নম্বরের সব যাচাই",
    allMessages: "এই নম্বরে সব বার্তা",
  },
}
