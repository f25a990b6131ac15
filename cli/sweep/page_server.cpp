#include "cli/sweep/page_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kMostRequest = 16 << 10;  // bytes of a head
constexpr std::chrono::milliseconds kPatience{1000};
constexpr int kAskedEvery = 100;  // ms between two looks at whether to end
constexpr int kWaiting = 16;      // clients

// A connection; closed at the end.
class Client {
 public:
  explicit Client(int socket) : socket_(socket) {}
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The head of a request, up to the empty line; none: it did not come in time, or is too long.
  std::optional<std::string> head() const {
    std::string heard;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (heard.find("\r\n\r\n") == std::string::npos) {
      char bytes[2048];
      if (!wait(POLLIN, until)) return std::nullopt;
      const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
      if (got <= 0 || heard.size() + static_cast<std::size_t>(got) > kMostRequest) return std::nullopt;
      heard.append(bytes, static_cast<std::size_t>(got));
    }
    return heard;
  }

  void answer(const std::string& status, const std::string& type, const std::string& body, bool whole) const {
    std::string text = fmt::format(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n",
        status, type, body.size());
    if (whole) text += body;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    for (std::string_view rest = text; !rest.empty();) {
      if (!wait(POLLOUT, until)) return;
      const ssize_t sent = send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN && errno != EINTR) return;
      if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

 private:
  bool wait(short event, std::chrono::steady_clock::time_point until) const {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd look{socket_, event, 0};
    return left > 0 && poll(&look, 1, static_cast<int>(left)) > 0;
  }

  int socket_;
};

// The value of a field of the head; "" if there is none.
std::string_view field(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    const std::size_t from = line.find_first_not_of(" \t", name.size() + 1);
    return from == std::string_view::npos ? std::string_view() : line.substr(from);
  }
  return {};
}

void answer(const Client& client, u64 port, const ServedPage& page) {
  const std::optional<std::string> head = client.head();
  if (!head) return;
  const std::string_view text = *head;
  const std::size_t first = text.find(' '), second = text.find(' ', first + 1);
  const std::string_view method = text.substr(0, first);
  const bool whole = method == "GET";
  const auto say = [&](const char* status) { client.answer(status, "text/plain", std::string(status) + "\n", true); };
  if (first == std::string_view::npos || second == std::string_view::npos) return say("400 Bad Request");
  if (!whole && method != "HEAD") return say("405 Method Not Allowed");
  // Another name for this machine would let any page of the web read this one.
  const std::string_view host = field(text, "Host");
  if (host != fmt::format("127.0.0.1:{}", port) && host != fmt::format("localhost:{}", port))
    return say("403 Forbidden");
  const std::string_view path = text.substr(first + 1, second - first - 1);
  if (path == "/") return client.answer("200 OK", "text/html; charset=utf-8", page.html(), whole);
  if (path == "/state")
    return client.answer("200 OK", "application/json", fmt::format("{{\"state\": \"{}\"}}\n", page.state()), whole);
  say("404 Not Found");
}

sockaddr_in loopback(u64 port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

Result<PageServer> PageServer::open(u64 port) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  PageServer server(made, port);
  sockaddr_in address = loopback(port);
  const int again = 1;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  socklen_t size = sizeof address;
  if (made < 0 || bind(made, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(made, kWaiting) != 0 ||
      getsockname(made, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return Diagnostic{"", 0, "--serve", fmt::format("127.0.0.1:{} cannot be served: {}", port, std::strerror(errno))};
  server.port_ = ntohs(address.sin_port);
  return server;
}

PageServer::PageServer(PageServer&& other) noexcept : socket_(std::exchange(other.socket_, -1)), port_(other.port_) {}

PageServer::~PageServer() {
  if (socket_ >= 0) close(socket_);
}

u64 PageServer::serve(const ServedPage& page, const std::function<bool()>& ended) {
  u64 requests = 0;
  while (!ended()) {
    pollfd look{socket_, POLLIN, 0};
    if (poll(&look, 1, kAskedEvery) <= 0) continue;
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    answer(Client(connection), port_, page);
    ++requests;
  }
  return requests;
}

Result<u64> served_port(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  const std::optional<u64> port = parse_number<u64>(colon == std::string::npos ? text : text.substr(colon + 1));
  const auto complaint = [&](std::string what) { return Diagnostic{"", 0, "--serve", std::move(what)}; };
  if (host != "127.0.0.1" && host != "localhost")
    return complaint(
        fmt::format("'{}': pages are served to this machine only, at 127.0.0.1; from another one: "
                    "ssh -L 8321:127.0.0.1:8321 HOST",
                    text));
  if (!port || *port > 65535) return complaint(fmt::format("'{}' must be a port from 0 (any) to 65535", text));
  return *port;
}

}  // namespace heliolite::cli
