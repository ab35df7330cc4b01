/** Quiet hours, and the numbers that get no promotional messages. Loaded with the page. */
export const optOuts = {
  quietHours: {
    title: "Quiet hours",
    intro:
      "In these hours, messages of a class wait until the end. The clock is that of the recipient’s country. Codes are always sent.",
    promotionalFrom: "Promotional messages: from",
    promotionalTo: "Promotional messages: until",
    transactionalFrom: "Other messages: from",
    transactionalTo: "Other messages: until",
    hint: "At most 13 hours. Clear both fields to send at all hours.",
  },
  optOuts: {
    title: "Opt-outs",
    intro:
      "Numbers on this list get no promotional messages. It keeps no numbers that could be read, so check one at a time.",
    check: "Check number",
    isOut: "{number} gets no promotional messages, since {time}.",
    isIn: "{number} gets promotional messages.",
    add: "Add to the list",
    added: "{number} gets no promotional messages from now on.",
    remove: "Remove from the list",
    removed: "{number} gets promotional messages again.",
  },
}
