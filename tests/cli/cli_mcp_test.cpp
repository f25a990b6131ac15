// heliolite mcp: talked to as an agent does, and as nobody should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cli_runner.h"
#include "tests/support/json_validator.h"

namespace heliolite::cli_mcp_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

json request(const json& id, const std::string& method, const json& parameters) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}};
}

json call(const json& id, const std::string& tool, const json& arguments) {
  return request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
}

// The answers to lines, by id as JSON; of those without one the last.
std::map<std::string, json> said(const std::vector<std::string>& lines) {
  const TempFolder folder;
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const CliResult run = run_cli("mcp < " + folder.write("in", text));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::map<std::string, json> answers;
  std::istringstream out(run.out);
  for (std::string line; std::getline(out, line);) {
    const json message = json::parse(line, nullptr, false);
    EXPECT_FALSE(message.is_discarded()) << line;
    EXPECT_EQ(message.value("jsonrpc", ""), "2.0");
    answers[message.at("id").dump()] = message;
  }
  return answers;
}

TEST(CliMcp, ListsToolsWithTheOptionsOfTheCommands) {
  const auto answers =
      said({request(0, "initialize", {{"protocolVersion", "2025-03-26"}}).dump(),
            R"({"jsonrpc":"2.0","method":"notifications/initialized"})", request("p", "ping", json::object()).dump(),
            request(1, "tools/list", json::object()).dump()});
  EXPECT_EQ(answers.at("0")["result"]["protocolVersion"], "2025-03-26");
  EXPECT_EQ(answers.at("0")["result"]["serverInfo"]["name"], "heliolite");
  EXPECT_TRUE(answers.at("0")["result"]["capabilities"].contains("tools"));
  EXPECT_EQ(answers.at("\"p\"")["result"], json::object());
  std::vector<std::string> names;
  const json commands = json::parse(run_cli("man --json -").out).at("commands");
  for (const json& tool : answers.at("1")["result"]["tools"]) {
    names.push_back(tool["name"]);
    const json& properties = tool["inputSchema"]["properties"];
    for (const json& command : commands) {
      if (command["name"] != tool["name"]) continue;
      for (const json& option : command["options"]) {
        if (option["names"].empty()) continue;
        const std::string name = option["names"].back().get<std::string>().substr(2);
        const bool of_terminal = name == "help" || name == "json" || name == "wide" || name == "color" ||
                                 name == "quiet" || option["names"].back() == "-o";
        EXPECT_TRUE(of_terminal || properties.contains(name)) << tool["name"] << " " << option;
      }
    }
  }
  EXPECT_THAT(names, UnorderedElementsAre("map", "bound", "explain", "check", "show"));
}

TEST(CliMcp, GivesWhatTheCommandsAnswer) {
  const TempFolder folder;
  const std::string answer = folder.path("best.json");
  ASSERT_EQ(run_cli("map -a eyeriss -w gemm:64x64x64 -q --json " + answer).exit_code, 0);
  const auto answers = said(
      {call(1, "map", {{"architecture", "eyeriss"}, {"workload", "gemm:64x64x64"}}).dump(),
       call(2, "bound", {{"workload", "gemm:64x64x64"}, {"architecture", "eyeriss"}}).dump(),
       call(3, "explain", {{"architecture", "eyeriss"}, {"workload", "gemm:64x64x64"}, {"mapping", answer}}).dump(),
       call(4, "show", json::object()).dump(), call(5, "check", {{"paths", json::array({"eyeriss", answer})}}).dump()});
  for (const char* id : {"1", "2", "3", "4"}) {
    const json& result = answers.at(id)["result"];
    EXPECT_FALSE(result["isError"]) << id << result.dump();
    EXPECT_NE(result["content"][0]["text"], "");
    EXPECT_EQ(json::parse(result["content"][1]["text"].get<std::string>()), result["structuredContent"]);
  }
  const json kept = json::parse(read_text(answer));
  const json& mapped = answers.at("1")["result"]["structuredContent"];
  EXPECT_EQ(mapped["command"], "map");
  EXPECT_EQ(mapped["layers"][0]["mapping"], kept["layers"][0]["mapping"]);
  EXPECT_EQ(answers.at("3")["result"]["structuredContent"]["command"], "explain");
}

TEST(CliMcp, RefusesWhatIsNoCallByName) {
  const auto answers =
      said({call(1, "map", {{"architecture", "eyeriss"}}).dump(),
            call(2, "map", {{"architecture", "nobody"}, {"workload", "gemm:8x8x8"}}).dump(),
            call(3, "map", {{"architecture", "eyeriss"}, {"workload", "gemm:8x8x8"}, {"objektive", "edp"}}).dump(),
            call(4, "map", {{"architecture", "eyeriss"}, {"workload", {{"a", 1}}}}).dump(),
            call(5, "sweep", json::object()).dump(), request(6, "resources/list", json::object()).dump(),
            call(7, "show", {{"quiet", true}}).dump(), R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":[]})",
            call(9, "map", {{"architecture", "eyeriss"}, {"workload", "gemm:8x8x8"}, {"free", "yes"}}).dump()});
  const auto complaint = [&](const char* id) {
    return answers.at(id)["result"]["content"][0]["text"].get<std::string>();
  };
  EXPECT_THAT(complaint("1"), HasSubstr("workload: is missing"));
  EXPECT_THAT(complaint("2"), HasSubstr("nobody"));
  EXPECT_THAT(complaint("3"), HasSubstr("objektive: is no argument of map"));
  EXPECT_THAT(complaint("4"), HasSubstr("workload: must be a text or number"));
  EXPECT_THAT(complaint("7"), HasSubstr("quiet: is no argument"));
  EXPECT_THAT(complaint("9"), HasSubstr("free: must be true or false"));
  for (const char* id : {"1", "2", "3", "4", "7", "9"}) EXPECT_TRUE(answers.at(id)["result"]["isError"]) << id;
  EXPECT_EQ(answers.at("5")["error"]["code"], -32602);
  EXPECT_EQ(answers.at("6")["error"]["code"], -32601);
  EXPECT_EQ(answers.at("8")["error"]["code"], -32602);
}

// Every cut of a good message, and bytes changed in it, then a good one: the server still answers.
TEST(CliMcp, OutlivesWhatIsNoMessage) {
  const std::string good = call(1, "show", {{"name", "eyeriss"}}).dump();
  std::vector<std::string> lines{"",
                                 "null",
                                 "[]",
                                 "[1,2]",
                                 "{",
                                 "\"text\"",
                                 std::string(100'000, '['),
                                 "\xff\xfe{}",
                                 R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
                                 R"({"jsonrpc":"1.0","id":1})",
                                 R"({"jsonrpc":"2.0","id":{},"method":3})",
                                 R"({"jsonrpc":"2.0","result":{},"id":4})",
                                 R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":7})",
                                 R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"};
  for (std::size_t i = 0; i + 1 < good.size(); i += 3) lines.push_back(good.substr(0, i));
  lines.push_back(request("last", "ping", json::object()).dump());
  const auto answers = said(lines);
  EXPECT_TRUE(answers.contains("\"last\""));
  EXPECT_TRUE(answers.at("null").contains("error"));
}

TEST(CliMcp, CancelsACall) {
  const std::string large =
      "o[a,b,c,d]+=x[a,b,e,f,g,h]*y[c,d,e,f,i,j]*z[g,h,i,j,k,l]*w[k,l];"
      "a=12,b=12,c=12,d=12,e=12,f=12,g=12,h=12,i=12,j=12,k=12,l=12";
  const auto answers = said({call(1, "map", {{"architecture", "eyeriss"}, {"workload", large}, {"open", true}}).dump(),
                             request(2, "ping", json::object()).dump(),
                             R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
                             request(3, "ping", json::object()).dump()});
  EXPECT_TRUE(answers.contains("2"));
  EXPECT_TRUE(answers.contains("3"));
  EXPECT_FALSE(answers.contains("1")) << "who cancels wants no answer";
}

}  // namespace
}  // namespace heliolite::cli_mcp_test
