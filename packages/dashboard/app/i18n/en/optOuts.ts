/** Quiet hours, and the numbers that get no promotional messages. Loaded with the page. */
export const optOuts = {
  quietHours: {
    title: "Quiet hours",
    intro:
      "Messages wait until these hours are over, by the clock of the recipient’s country. Codes are always sent.",
    promotionalFrom: "Promotional messages: from",
    promotionalTo: "Promotional messages: until",
    transactionalFrom: "Other messages: from",
    transactionalTo: "Other messages: until",
    hint: "At most 13 hours. Clear both fields to send at all hours.",
  },
  optOuts: {
    title: "Opt-outs",
    intro:
      "Numbers on this list get no promotional messages. It stores digests instead of numbers, so it cannot be shown: check one number at a time.",
    check: "Check number",
    isOut: "{number} gets no promotional messages, since {time}.",
    isIn: "{number} gets promotional messages.",
    add: "Add to the list",
    added: "{number} gets no promotional messages from now on.",
    remove: "Remove from the list",
    removed: "{number} gets promotional messages again.",
  },
}
