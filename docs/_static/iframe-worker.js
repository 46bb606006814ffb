// The search runs in a web worker, which browsers refuse to pages that are opened from the disk. There, a hidden frame
// does its work. The theme would load a package for this from elsewhere.
"use strict";
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => setTimeout(() => this.hear(data));
      inside.importScripts = (...scripts) =>
        scripts.reduce((before, script) => before.then(() => this.load(script)), Promise.resolve());
      this.ready = this.load(address);
    }

    load(address) {
      return new Promise((resolve, reject) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = new URL(address, location.href);
        script.onload = resolve;
        script.onerror = reject;
        this.frame.contentDocument.body.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    hear(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
