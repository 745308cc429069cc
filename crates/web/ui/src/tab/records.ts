// The browser's database: records by key, each a JSON text that the program wrote.

const STORE = "records";

export class Records {
  private constructor(private readonly database: IDBDatabase) {}

  static open(): Promise<Records> {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open("centipawn", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
      opening.onsuccess = () => resolve(new Records(opening.result));
      opening.onerror = () => reject(opening.error ?? new Error("the browser's database cannot be opened"));
    });
  }

  /** Calls `each` with every record. */
  async load(each: (key: string, value: string) => void): Promise<void> {
    const store = this.database.transaction(STORE).objectStore(STORE);
    const all = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error("the browser's database cannot be read"));
      });
    const [keys, values] = await Promise.all([all(store.getAllKeys()), all<unknown[]>(store.getAll())]);
    keys.forEach((key, index) => each(String(key), String(values[index])));
  }

  /** Writes changes: a value, or `null` to delete the record. Resolves when they are stored. */
  write(changes: [key: string, value: string | null][]): Promise<void> {
    return new Promise((resolve, reject) => {
      const writing = this.database.transaction(STORE, "readwrite");
      const store = writing.objectStore(STORE);
      for (const [key, value] of changes) {
        if (value === null) store.delete(key);
        else store.put(value, key);
      }
      writing.oncomplete = () => resolve();
      writing.onabort = () => reject(writing.error ?? new Error("the browser's database cannot be written"));
    });
  }
}
