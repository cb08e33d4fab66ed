// Rates from counters. The daemon reads a counter less often than it sends it, so a value may come several times: a rate is
// taken from one change to the next, over the time between them.
// SPDX-License-Identifier: Apache-2.0

/** Without a change for so long the rate is 0: the daemon has read the counter at least twice since. */
export const UNMOVED_S = 12;

export class RateMeter {
  private value: number | undefined;
  private changed_s = 0;
  private rate: number | undefined;
  private first = true;

  /** The rate per second after this reading; undefined while it cannot be known. */
  read(value: number | undefined, time_s: number): number | undefined {
    if (value === undefined) {
      this.reset();
      return undefined;
    }
    if (this.value === undefined || value < this.value || time_s < this.changed_s) {
      this.reset();
      this.value = value;
      this.changed_s = time_s;
      return undefined;
    }
    const passed = time_s - this.changed_s;
    if (value === this.value) {
      if (passed >= UNMOVED_S) this.rate = 0;
      return this.rate;
    }
    // The first value was not read when it came, so the time to the first change says nothing.
    if (!this.first && passed > 0) this.rate = (value - this.value) / passed;
    this.first = false;
    this.value = value;
    this.changed_s = time_s;
    return this.rate;
  }

  private reset(): void {
    this.value = undefined;
    this.rate = undefined;
    this.first = true;
  }
}
