/** Messages that wait in the outbox. Loaded with the page. */
export const queued = {
  queued: {
    title: "Queued messages",
    intro: "Messages that wait until they are sent, and how they ended, the first queued first.",
    sendAt: "To be sent",
    soon: "At once",
    text: "Text",
    empty: "No message was queued.",
    emptyHint: "A message appears here when your program queues it, or sends it later.",
    reschedule: "Reschedule",
    rescheduleTitle: "Reschedule the message to {number}?",
    rescheduleText: "If it is being sent already, it is not sent again.",
    newTime: "New time",
    newTimeHint: "At most 35 days ahead",
    rescheduled: "The message will be sent at {time}.",
    cancel: "Cancel message",
    cancelTitle: "Cancel the message to {number}?",
    cancelText: "It is not sent. This cannot be undone.",
    cancelled: "The message was cancelled.",
  },
  queuedStatus: {
    queued: "Queued",
    sent: "Sent",
    refused: "Refused",
    cancelled: "Cancelled",
    expired: "Too late",
  },
}
