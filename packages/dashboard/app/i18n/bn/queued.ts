import type { PageTexts } from "../dictionary.ts"

export const queued: Pick<PageTexts, "queued" | "queuedStatus"> = {
  queued: {
    title: "সারিতে থাকা বার্তা",
    intro: "যেসব বার্তা পাঠানোর অপেক্ষায় আছে, এবং সেগুলোর কী হয়েছে, আগেরগুলো আগে।",
    sendAt: "পাঠানোর সময়",
    soon: "এখনই",
    text: "লেখা",
    empty: "কোনো বার্তা সারিতে রাখা হয়নি।",
    emptyHint: "আপনার প্রোগ্রাম কোনো বার্তা সারিতে রাখলে বা পরে পাঠালে তা এখানে আসে।",
    reschedule: "সময় বদলান",
    rescheduleTitle: "{number} নম্বরের বার্তার সময় বদলাবেন?",
    rescheduleText: "এটি পাঠানো শুরু হয়ে থাকলে আবার পাঠানো হবে না।",
    newTime: "নতুন সময়",
    newTimeHint: "সর্বোচ্চ ৩৫ দিন পরে",
    rescheduled: "বার্তাটি পাঠানো হবে: {time}।",
    cancel: "বার্তা বাতিল করুন",
    cancelTitle: "{number} নম্বরের বার্তা বাতিল করবেন?",
    cancelText: "এটি পাঠানো হবে না। পরে আর ফেরানো যাবে না।",
    cancelled: "বার্তাটি বাতিল হয়েছে।",
  },
  queuedStatus: {
    queued: "সারিতে আছে",
    sent: "পাঠানো হয়েছে",
    refused: "প্রত্যাখ্যাত",
    cancelled: "বাতিল",
    expired: "সময় পেরিয়ে গেছে",
  },
}
