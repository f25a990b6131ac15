// heliolite report: what it writes, says and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"
#include "tests/support/report_sweep.h"

namespace heliolite::cli_report_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CliReport : public ::testing::Test {
 protected:
  // A database of this many points.
  std::string database(u64 points) {
    write_report_sweep(folder_.path("sweep.db"), points);
    return folder_.path("sweep.db");
  }
  CliResult report(const std::string& arguments) {
    CliResult result = run_cli("report " + arguments);
    lacks_charts_ = result.err.find("without the chart library") != std::string::npos;
    return result;
  }
  std::string refused(const std::string& arguments, int exit_code = 2) {
    const CliResult result = run_cli("report " + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << "\n" << result.err;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_THAT(result.err, StartsWith("heliolite: "));
    return result.err;
  }

  TempFolder folder_;
  bool lacks_charts_ = false;
};

TEST_F(CliReport, WritesThePageBesideTheDatabaseOrWhereToldTo) {
  const std::string db = database(150);
  const CliResult named = report(db);
  if (lacks_charts_) GTEST_SKIP() << named.err;
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_THAT(named.out, HasSubstr("sweep.html: 125 of 150 points mapped, 125 drawn"));
  const std::string page = read_text(folder_.path("sweep.html"));
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_EQ(report(db + " -o " + folder_.path("other.html")).exit_code, 0);
  EXPECT_EQ(read_text(folder_.path("other.html")), page);
  EXPECT_EQ(report(db + " -o -").out, page);
}

TEST_F(CliReport, JsonSaysWhatWasWritten) {
  const CliResult result = report(database(150) + " --points 60 --best 3 --json -");
  if (lacks_charts_) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto answer = nlohmann::json::parse(result.out);
  EXPECT_EQ(answer["command"], "report");
  EXPECT_EQ(answer["question"]["points"], 60);
  EXPECT_EQ(answer["sweep"]["name"], "made up " + kUnpleasantName);
  EXPECT_EQ(answer["points"], 150);
  EXPECT_EQ(answer["mapped"], 125);
  EXPECT_EQ(answer["bytes"], read_text(answer["page"].get<std::string>()).size());
}

TEST_F(CliReport, RefusesWhatIsNoSweep) {
  EXPECT_THAT(refused(folder_.path("none.db")), HasSubstr("none.db: there is no such file"));
  EXPECT_THAT(refused(folder_.write("text.db", "a text")), HasSubstr("is not a results database"));
  EXPECT_THAT(refused(folder_.path("")), HasSubstr(folder_.path("")));
  const std::string db = database(150);
  const std::string bytes = read_text(db);
  EXPECT_THAT(refused(folder_.write("half.db", bytes.substr(0, bytes.size() / 2))), HasSubstr("half.db: "));
  refused("");
}

TEST_F(CliReport, SaysThatThereIsNothingYet) { EXPECT_THAT(refused(database(0), 1), HasSubstr("holds no points yet")); }

TEST_F(CliReport, RefusesWhereItCannotWrite) {
  const std::string db = database(20);
  EXPECT_THAT(refused(db + " -o " + folder_.path("no/such/x.html")), HasSubstr("there is no folder"));
  EXPECT_THAT(refused(db + " -o " + folder_.path("")), HasSubstr("it is a directory"));
  EXPECT_THAT(refused(db + " -o " + db), HasSubstr("is a database (SQLite)"));
  EXPECT_THAT(refused(db + " -o - --json -"), HasSubstr("standard output takes one of --json and -o"));
  EXPECT_THAT(refused(db + " --points many"), HasSubstr("'many' must be a whole number"));
  EXPECT_EQ(read_text(db).substr(0, 6), "SQLite");
}

TEST_F(CliReport, ShowsAnAnswerOfMap) {
  const std::string best = folder_.path("best.json");
  ASSERT_EQ(run_cli("map -a eyeriss_45nm -w alexnet --no-look -q --json " + best).exit_code, 0);
  const CliResult result = run_cli("report " + best + " --json -");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["question"]["answer"], best);
  const std::string page = read_text(folder_.path("best.html"));
  for (const char* shown : {"alexnet on eyeriss_45nm", "conv3", "IfmapSpad", "TOPS/W", "optimal"})
    EXPECT_THAT(page, HasSubstr(shown));
  EXPECT_EQ(run_cli("report " + best + " -o -").out, page);
  EXPECT_THAT(refused(best + " --points 5"), HasSubstr("--points and --best are of sweeps"));
  EXPECT_THAT(refused(folder_.write("other.json", R"({"command": "bound"})")), HasSubstr("must be map"));
}

}  // namespace
}  // namespace heliolite::cli_report_test
