/** A source of change notifications: observers are called after every change. */
export class Observable {
  private readonly observers = new Set<() => void>();

  /** Returns a function that unsubscribes. */
  observe(observer: () => void): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }

  protected changed(): void {
    for (const observer of this.observers) observer();
  }
}
