import type { PageTexts } from "../dictionary.ts"

export const senders: Pick<PageTexts, "senders" | "brandStatus"> = {
  senders: {
    title: "প্রেরক",
    intro: "যে নাম, নম্বর ও প্রোফাইল থেকে বার্তা যায়।",
    add: "প্রেরক যোগ করুন",
    addTitle: "প্রেরক যোগ করুন",
    editTitle: "প্রেরক বদলান",
    kind: "ধরন",
    sender: "প্রেরক",
    senderHint: "নাম, ফোন নম্বর, বা WhatsApp প্রোফাইলের আইডি।",
    masking: "নাম (মাস্কিং)",
    nonMasking: "ফোন নম্বর (নন-মাস্কিং)",
    whatsapp: "WhatsApp প্রোফাইল",
    isDefault: "ডিফল্ট",
    makeDefault: "অনুরোধে প্রেরক না থাকলে এটি ব্যবহার করুন",
    approve: "অনুমোদন",
    reject: "প্রত্যাখ্যান",
    displaces:
      "অনুরোধে প্রেরক না থাকলে এখন “{sender}” থেকে বার্তা যায়। সংরক্ষণ করলে, এই প্রেরক অনুমোদিত না হওয়া পর্যন্ত সেসব বার্তা প্রত্যাখ্যান হবে।",
    pendingHint: "নতুন বা বদলানো প্রেরক অপারেটরের অনুমোদনের অপেক্ষায় থাকে।",
    withdraw: "প্রত্যাহার",
    withdrawTitle: "“{sender}” প্রত্যাহার করবেন?",
    withdrawText: "পরের অনুরোধ থেকে এখান থেকে আর বার্তা যাবে না। এটি তালিকায় থাকবে।",
    saved: "প্রেরক সংরক্ষিত হয়েছে।",
    withdrawn: "প্রেরক প্রত্যাহার হয়েছে।",
    empty: "এখনো কোনো প্রেরক নেই।",
    emptyHint: "একটি যোগ করুন। বার্তার জন্য চ্যানেলের অনুমোদিত প্রেরক লাগে।",
  },
  brandStatus: {
    pending: "অনুমোদনের অপেক্ষায়",
    approved: "অনুমোদিত",
    rejected: "প্রত্যাখ্যাত",
    withdrawn: "প্রত্যাহৃত",
  },
}
