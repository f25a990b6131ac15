#pragma once
// A page on 127.0.0.1 that follows what it is made of: for one reader, on the same machine.
#include <functional>
#include <string>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {
struct ReportLimits;
}

namespace heliolite::cli {

// What the server shows. `state` says in a few letters what the page would be made of: while it stays the same the page
// is not made again, and readers need not load it again.
struct ServedPage {
  std::function<std::string()> state;
  std::function<std::string()> html;
};

// Answers GET / with the page and GET /state with {"state": "..."}; nobody but the machine itself can ask. One request
// at a time; a client that says nothing is left after a second.
class PageServer {
 public:
  // Port 0: one that is free. Errors: the port is taken.
  static Result<PageServer> open(u64 port);
  PageServer(PageServer&&) noexcept;
  PageServer& operator=(PageServer&&) = delete;
  ~PageServer();

  u64 port() const { return port_; }
  // Serves until `ended` says so, which is asked ten times a second. Returns the number of requests answered.
  u64 serve(const ServedPage& page, const std::function<bool()>& ended);

 private:
  PageServer(int socket, u64 port) : socket_(socket), port_(port) {}

  int socket_;
  u64 port_;
};

// "8321" or "127.0.0.1:8321" or "localhost:8321" as a port. Errors: no port, or another interface: it is refused, the
// page is nobody else's.
Result<u64> served_port(const std::string& text);

}  // namespace heliolite::cli
