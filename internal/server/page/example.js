// A change and a review of our own, to see something at once.

export const diff = `diff --git a/mailer.py b/mailer.py
--- a/mailer.py
+++ b/mailer.py
@@ -9,6 +9,13 @@ class Mailer:
     def __init__(self, server):
         self.server = server
 
-    def send(self, message):
-        self.server.deliver(message)
-        return True
+    def send(self, message, attempts=3):
+        """Deliver a message, and try again where the server cannot be reached."""
+        for attempt in range(attempts):
+            try:
+                self.server.deliver(message)
+                return True
+            except ConnectionError:
+                log.warning("attempt %d failed", attempt)
+                time.sleep(2 ** attempt)
+        return False
`;

export const review = `The new parameter \`attempts\` of \`send\` is never checked: with 0 the message is not delivered at all, and nobody is told.

- When every attempt fails, \`send\` now returns False instead of raising ConnectionError. Callers that ignore the result will lose messages.
- It sleeps after the last attempt too, which only wastes time.
- Please rebase this branch and update the screenshots in the wiki.
`;
