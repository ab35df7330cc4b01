/** Senders. Loaded with the page. */
export const senders = {
  senders: {
    title: "Senders",
    intro: "The names, numbers and profiles that messages come from.",
    add: "Add sender",
    addTitle: "Add a sender",
    editTitle: "Change a sender",
    kind: "Kind",
    sender: "Sender",
    senderHint: "The name, the phone number, or the id of the WhatsApp profile.",
    masking: "Name (masking)",
    nonMasking: "Phone number (non-masking)",
    whatsapp: "WhatsApp profile",
    isDefault: "Default",
    makeDefault: "Use this sender if a request names none",
    approve: "Approve",
    reject: "Reject",
    displaces:
      "Messages without a sender come from “{sender}” now. If you save, they are refused until this sender is approved.",
    pendingHint: "A new or changed sender waits for the approval of an operator.",
    withdraw: "Withdraw",
    withdrawTitle: "Withdraw “{sender}”?",
    withdrawText:
      "No message is sent from it any more, from the next request on. It stays in the list.",
    saved: "The sender was saved.",
    withdrawn: "The sender was withdrawn.",
    empty: "There is no sender yet.",
    emptyHint: "Add one. Messages need an approved sender of their channel.",
  },
  brandStatus: {
    pending: "Waits for approval",
    approved: "Approved",
    rejected: "Rejected",
    withdrawn: "Withdrawn",
  },
}
