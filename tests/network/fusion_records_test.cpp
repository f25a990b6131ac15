// Recorded optima of small networks, fused and not: their schedules are legal and cost what the records say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fusion_records.h"

namespace heliolite::fusion_records_test {
namespace {

TEST(FusionRecords, CostWhatIsRecorded) {
  int schedules = 0;
  for (auto& [file, problem, schedules_there] : testing::fusion_records()) {
    SCOPED_TRACE(file);
    problem.architecture.timeloop_cycles = true;  // as they were recorded
    for (const auto& entry : schedules_there) {
      const std::string text = entry["schedule"];
      SCOPED_TRACE(text);
      const FusedSchedule schedule = testing::fused_schedule(problem, text, entry["nests"]);
      EXPECT_EQ(write_schedule(schedule.groups, problem.graph, problem.architecture), text);
      const auto cost = schedule_cost(schedule, problem.graph, problem.architecture);
      ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
      EXPECT_DOUBLE_EQ(cost->total.energy.picojoules(), entry["energy_pj"].get<double>());
      EXPECT_EQ(cost->total.cycles, entry["cycles"].get<u64>());
      ++schedules;
    }
  }
  EXPECT_GE(schedules, 12);
}

}  // namespace
}  // namespace heliolite::fusion_records_test
