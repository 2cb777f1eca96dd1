// Questions that are under way. A question has a channel; a new one ends the old one there, and an answer whose
// question was ended is dropped, so that it never lands on another position.

export class Channels {
  constructor(notices) {
    this.notices = notices;
    this.open = new Map();
  }

  /** Ends the questions of channels, and forgets what went wrong there. */
  end(...channels) {
    for (const channel of channels) {
      this.open.get(channel)?.abort();
      this.open.delete(channel);
    }
    this.notices.clear(...channels);
  }

  /** Whether a question is under way. */
  asks(channel) {
    return this.open.has(channel);
  }

  /**
   * Asks on a channel: `work(signal)` gives the answer, `use(answer)` takes it, and `failed(failure)` may take a
   * failure, which is said on the page with a retry.
   */
  async run(channel, work, use, failed = () => {}) {
    this.open.get(channel)?.abort();
    const controller = new AbortController();
    this.open.set(channel, controller);
    const isCurrent = () => this.open.get(channel) === controller;
    let answer;
    try {
      answer = await work(controller.signal, isCurrent);
    } catch (failure) {
      if (!isCurrent()) return;
      this.open.delete(channel);
      if (failure.name === "AbortError") return;
      this.notices.fail(channel, failure, () => this.run(channel, work, use, failed));
      failed(failure);
      return;
    }
    if (!isCurrent()) return;
    this.open.delete(channel);
    this.notices.clear(channel);
    use(answer);
  }

  /** Runs what may be impossible, on a channel, and says so. `failed()` is called then. */
  attempt(channel, action, failed = () => {}) {
    this.end(channel);
    try {
      action();
    } catch (failure) {
      this.notices.fail(channel, failure);
      failed();
    }
  }
}
