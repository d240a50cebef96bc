// The search of the theme runs in a worker, which browsers refuse to pages opened from the file
// system. There this class takes the worker's place: the same script, in a hidden frame.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.body.appendChild(document.createElement("iframe"));
      this.frame.hidden = true;
      addEventListener("message", (event) => this.pass(event));
      this.frame.srcdoc = `<script>
        function postMessage(message) { parent.postMessage(message, "*"); }
        function importScripts(...addresses) {
          return addresses.reduce((earlier, address) => earlier.then(() => new Promise((loaded) => {
            const script = document.createElement("script");
            script.src = address;
            script.onload = loaded;
            document.body.appendChild(script);
          })), Promise.resolve());
        }
      </script><body><script src="${new URL(url, location)}"></script>`;
      this.ready = new Promise((loaded) => this.frame.addEventListener("load", loaded));
    }

    pass(event) {
      if (event.source !== this.frame.contentWindow) return;
      event.stopImmediatePropagation();
      const message = new MessageEvent("message", { data: event.data });
      this.dispatchEvent(message);
      if (this.onmessage) this.onmessage(message);
    }

    postMessage(message) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(
        new MessageEvent("message", { data: message })));
    }

    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
