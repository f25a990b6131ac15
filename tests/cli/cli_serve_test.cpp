// heliolite report --serve: the page at 127.0.0.1 while a sweep writes, and for nobody else.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>

#include "tests/support/cli_runner.h"
#include "tests/support/report_sweep.h"

namespace heliolite::cli_serve_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Ne;
using ::testing::StartsWith;

// What the server answers to a request.
std::string asked(int port, const std::string& request, in_addr_t interface = INADDR_LOOPBACK) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(interface);
  std::string text;
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    send(connection, request.data(), request.size(), MSG_NOSIGNAL);
    char bytes[4096];
    for (ssize_t got = 0; (got = recv(connection, bytes, sizeof bytes, 0)) > 0;)
      text.append(bytes, static_cast<std::size_t>(got));
  }
  close(connection);
  return text;
}

std::string get(int port, const std::string& path) {
  return asked(port, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n");
}

// The server, until the object ends.
class Served {
 public:
  explicit Served(const std::string& database) {
    const std::string out = folder_.path("out");
    child_ = fork();
    if (child_ == 0) {
      if (std::freopen(out.c_str(), "w", stdout) == nullptr) _exit(127);
      execl(HELIOLITE_BINARY, HELIOLITE_BINARY, "report", database.c_str(), "--serve", "0", nullptr);
      _exit(127);
    }
    std::smatch found;
    for (int i = 0; i < 300 && port_ == 0; ++i) {
      std::this_thread::sleep_for(100ms);
      const std::string said = read_text(out);
      if (std::regex_search(said, found, std::regex("http://127.0.0.1:([0-9]+)/"))) port_ = std::stoi(found[1]);
    }
  }
  ~Served() {
    if (child_ > 0) end();
  }
  int port() const { return port_; }
  // The exit code after Ctrl-C.
  int end() {
    kill(child_, SIGINT);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  TempFolder folder_;
  pid_t child_ = 0;
  int port_ = 0;
};

TEST(CliServe, FollowsADatabaseThatGrows) {
  const TempFolder folder;
  const std::string database = folder.path("sweep.db");
  write_report_sweep(database, 40);
  if (run_cli("report " + database + " -o " + folder.path("page.html")).err.find("chart library") != std::string::npos)
    GTEST_SKIP();
  Served server(database);
  ASSERT_NE(server.port(), 0);
  const std::string page = get(server.port(), "/"), state = get(server.port(), "/state");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(page, HasSubstr("connect-src 'self'"));
  EXPECT_THAT(page, HasSubstr("</html>"));
  EXPECT_THAT(state, HasSubstr("{\"state\": \""));
  std::filesystem::remove(database);
  write_report_sweep(database, 60);
  std::string later = state;
  for (int i = 0; i < 100 && later == state; ++i) {
    std::this_thread::sleep_for(100ms);
    later = get(server.port(), "/state");
  }
  EXPECT_THAT(later, Ne(state));
  EXPECT_THAT(get(server.port(), "/"), Ne(page));
  EXPECT_EQ(server.end(), 130);
}

TEST(CliServe, AnswersTheMachineItselfOnly) {
  const TempFolder folder;
  const std::string database = folder.path("sweep.db");
  write_report_sweep(database, 20);
  if (run_cli("report " + database + " -o " + folder.path("page.html")).err.find("chart library") != std::string::npos)
    GTEST_SKIP();
  for (const char* other : {"0.0.0.0:80", "192.168.0.1:8321", "[::]:8321", "example.org:1"}) {
    const CliResult refused = run_cli("report " + database + " --serve " + other);
    EXPECT_EQ(refused.exit_code, 2) << other;
    EXPECT_THAT(refused.err, HasSubstr("127.0.0.1")) << other;
  }
  EXPECT_EQ(run_cli("report " + database + " --serve 65536").exit_code, 2);
  EXPECT_EQ(run_cli("report " + database + " --serve 0 -o " + folder.path("x.html")).exit_code, 2);
  Served server(database);
  ASSERT_NE(server.port(), 0);
  const std::string host = "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n\r\n";
  EXPECT_THAT(asked(server.port(), "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(asked(server.port(), "GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(asked(server.port(), "POST / HTTP/1.1\r\n" + host), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(asked(server.port(), "GET /etc/passwd HTTP/1.1\r\n" + host), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(asked(server.port(), "\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_EQ(asked(server.port(), "GET / HTTP/1.1\r\n"), "") << "an unfinished request";
  EXPECT_EQ(asked(server.port(), std::string(100'000, 'x')), "");
  EXPECT_THAT(asked(server.port(), "HEAD / HTTP/1.1\r\n" + host), ::testing::EndsWith("\r\n\r\n"));
  EXPECT_EQ(server.end(), 130);
}

}  // namespace
}  // namespace heliolite::cli_serve_test
