#include "arch/reference_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace heliolite::timeloop_ert_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kData = HELIOLITE_TEST_DATA "/data/timeloop/";

EnergyReferenceTable ert(const std::string& text) {
  const Result<EnergyReferenceTable> table = read_ert(*YamlNode::parse(text, "ert.yaml"));
  if (!table) ADD_FAILURE() << to_string(table.errors());
  return table ? *table : EnergyReferenceTable{};
}

std::string ert_errors(const std::string& text) {
  const Result<EnergyReferenceTable> table = read_ert(*YamlNode::parse(text, "ert.yaml"));
  return table ? "accepted" : to_string(table.errors());
}

std::string art_errors(const std::string& text) {
  const Result<AreaReferenceTable> table = read_art(*YamlNode::parse(text, "art.yaml"));
  return table ? "accepted" : to_string(table.errors());
}

Architecture machine() {
  Architecture a;
  a.levels.resize(2);
  a.levels[0].name = "RF";
  a.levels[0].energy = {1, 1, 1};
  a.levels[0].cluster_size = 4;
  a.levels[1].name = "DRAM";
  a.levels[1].energy = {200, 200, 200};
  a.compute.name = "mac";
  return a;
}

TEST(Ert, NamesAreTheLastComponentWithoutItsRange) {
  const EnergyReferenceTable table = ert(R"(ERT:
  version: 0.3
  tables:
  - {name: 'system.PE[0..15].RF', actions: [{name: read, arguments: null, energy: 0.25}]}
  - {name: 'system.DRAM[1..1]', actions: [{name: read, arguments: {}, energy: 512}]}
  - {name: mac, actions: [{name: compute, energy: 2}]}
)");
  ASSERT_EQ(table.components.size(), 3u);
  EXPECT_EQ(table.components.at("RF").at("read"), 0.25);
  EXPECT_EQ(table.components.at("DRAM").at("read"), 512);
}

TEST(Ert, TheDearestArgumentsCount) {
  const EnergyReferenceTable table = ert(R"(
version: '0.4'
tables:
- name: RF
  actions:
  - {name: read, arguments: {data_delta: 0}, energy: 0.1}
  - {name: read, arguments: {data_delta: 1}, energy: 0.3}
  - {name: read, arguments: {data_delta: 2}, energy: 0.2}
)");
  EXPECT_EQ(storage_energy(table, "RF", 1)->access.read_pj, 0.3);
}

TEST(Ert, OldMapsOfActions) {
  const EnergyReferenceTable table = ert(R"(ERT:
  version: 0.2
  tables:
    system.PE[0..3].RF:
      read: {energy: 0.5}
      write: [{arguments: {data_delta: 0}, energy: 0.25}, {arguments: {data_delta: 1}, energy: 0.75}]
)");
  const TableEnergy energy = *storage_energy(table, "RF", 1);
  EXPECT_EQ(energy.access.read_pj, 0.5);
  EXPECT_EQ(energy.access.fill_pj, 0.75);
  EXPECT_EQ(energy.access.update_pj, 0.75);
}

TEST(Ert, ActionsByTimeloopsNames) {
  const EnergyReferenceTable table = ert(R"(tables:
- {name: RF, actions: [{name: random_read, energy: 1}, {name: read, energy: 9}, {name: fill, energy: 2},
                       {name: write, energy: 3}, {name: leak, energy: 0.125}]}
- {name: Odd, actions: [{name: access, energy: 8}, {name: leak, energy: 12}]}
- {name: mac, actions: [{name: mult_random, energy: 4}, {name: compute, energy: 5}]}
- {name: alu, actions: [{name: add, energy: 6}]}
)");
  const TableEnergy rf = *storage_energy(table, "RF", 4);
  EXPECT_EQ(rf.access.read_pj, 1);    // random_read before read
  EXPECT_EQ(rf.access.fill_pj, 2);    // fill before write
  EXPECT_EQ(rf.access.update_pj, 3);  // write, as there is no update
  EXPECT_EQ(rf.leak_pj_per_cycle, 0.125);
  const TableEnergy odd = *storage_energy(table, "Odd", 4);
  EXPECT_EQ(odd.access.read_pj, 3);  // the dearest action, leak included, shared by the cluster
  EXPECT_EQ(odd.leak_pj_per_cycle, 12);
  EXPECT_THAT(odd.without_action, ElementsAre("read", "fill", "update"));
  EXPECT_THAT(rf.without_action, IsEmpty());
  EXPECT_EQ(compute_energy(table, "mac")->op_pj, 4);
  EXPECT_TRUE(compute_energy(table, "mac")->has_action);
  EXPECT_EQ(compute_energy(table, "alu")->op_pj, 6);
  EXPECT_FALSE(compute_energy(table, "alu")->has_action);
  EXPECT_FALSE(storage_energy(table, "L2", 1));
  EXPECT_FALSE(compute_energy(table, "L2"));
}

TEST(Ert, AppliedToAnyMachine) {
  Architecture a = machine();
  const Result<YamlNode> file = YamlNode::load_file(kData + "small_tables.yaml");
  ASSERT_TRUE(file.ok());
  a.levels[1].name = "Main";
  a.compute.name = "Mac";
  EXPECT_TRUE(apply_ert(*read_ert(*file), a).empty());
  EXPECT_EQ(a.levels[0].energy.read_pj, 1);  // not in the table: left alone
  EXPECT_EQ(a.levels[1].energy.read_pj, 512);
  EXPECT_EQ(a.levels[1].energy.update_pj, 500);
  EXPECT_EQ(a.compute.op_pj, 2.25);
  a.levels[0].name = "Shared";
  EXPECT_TRUE(apply_art(*read_art(*file), a).empty());
  EXPECT_EQ(a.levels[0].area_um2, 50000);
  EXPECT_EQ(a.compute.area_um2, 300.5);
}

TEST(Ert, OfAnotherMachineIsNoticed) {
  Architecture a = machine();
  const EnergyReferenceTable table = ert("tables: [{name: L2, actions: [{name: read, energy: 1}]}]");
  EXPECT_THAT(to_string(apply_ert(table, a)),
              HasSubstr("the table names L2, but none of the machine's RF, DRAM and mac"));
  EXPECT_THAT(to_string(apply_ert(EnergyReferenceTable{}, a)), HasSubstr("the table names nothing"));
  AreaReferenceTable areas;
  areas.components["L2"] = 4;
  EXPECT_THAT(to_string(apply_art(areas, a)), HasSubstr("the table names L2"));
}

TEST(Ert, Complaints) {
  const auto one = [](const std::string& action) {
    return "ERT:\n  version: 0.4\n  tables:\n  - name: RF\n    actions:\n    - {" + action + "}\n";
  };
  ASSERT_EQ(ert_errors(one("name: read, energy: 1")), "accepted");
  EXPECT_THAT(ert_errors(one("name: read")), HasSubstr("ert.yaml:6: ERT.tables[0].actions[0]: missing key 'energy'"));
  EXPECT_THAT(ert_errors(one("energy: 1")), HasSubstr("missing key 'name'"));
  EXPECT_THAT(ert_errors(one("name: read, energy: -1")), HasSubstr("energy = -1, must be a number from 0"));
  EXPECT_THAT(ert_errors(one("name: read, energy: low")), HasSubstr("energy = low, must be a number"));
  EXPECT_THAT(ert_errors(one("name: read, energie: 1")), HasSubstr("unknown key 'energie', did you mean 'energy'?"));
  EXPECT_THAT(ert_errors("ERT: {version: 0.9, tables: []}"), HasSubstr("version = 0.9, must be 0.2, 0.3 or 0.4"));
  EXPECT_THAT(ert_errors("ERT: {}"), HasSubstr("missing key 'tables'"));
  EXPECT_THAT(ert_errors("ERT: {tables: 4}"), HasSubstr("must be a list of components"));
  EXPECT_THAT(ert_errors("ERT: {tables: [{name: RF, actions: 4}]}"), HasSubstr("must be a list of {name, arguments"));
  EXPECT_THAT(ert_errors("ERT: {tables: {RF: 4}}"), HasSubstr("must be a map from actions to energies"));
  EXPECT_THAT(ert_errors("ERT: {tables: {RF: {read: 4}}}"), HasSubstr("must be a map of keys"));
  EXPECT_THAT(ert_errors("ERT: 4"), HasSubstr("must be a map"));
  EXPECT_THAT(ert_errors("ERT_summary: {table_summary: []}"),
              HasSubstr("'ERT_summary' is a summary for reading; give the "
                        "ERT file itself"));
  EXPECT_THAT(ert_errors("ERT: {table_summary: []}"), HasSubstr("is a summary for reading"));
  EXPECT_THAT(art_errors("ART: {tables: [{name: RF}]}"), HasSubstr("missing key 'area'"));
  EXPECT_THAT(art_errors("ART: {tables: [{name: RF, area: -4}]}"), HasSubstr("area = -4, must be a number from 0"));
  EXPECT_THAT(art_errors("ART: {tables: {RF: x}}"), HasSubstr("area must be a number from 0"));
  EXPECT_THAT(art_errors("ART_summary: 1"), HasSubstr("is a summary for reading; give the ART file itself"));
}

// The energy of an operation is one of the component's, or the dearest shared by the cluster; never more.
RC_GTEST_PROP(Ert, NothingCostsMoreThanTheDearestAction, ()) {
  const std::vector<std::string> names{"random_read", "read",          "random_fill", "random_write", "fill",
                                       "write",       "random_update", "update",      "leak",         "access"};
  EnergyReferenceTable table;
  double most = 0;
  auto& actions = table.components["RF"];
  for (const std::string& name : names) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    actions[name] = *rc::gen::inRange(0, 100);
    most = std::max(most, actions[name]);
  }
  const auto energy = storage_energy(table, "RF", 1);
  RC_ASSERT(energy.has_value() == !actions.empty());
  if (!energy) return;
  for (const double pj : {energy->access.read_pj, energy->access.fill_pj, energy->access.update_pj}) {
    RC_ASSERT(pj <= most);
    RC_ASSERT(pj >= 0);
  }
}

}  // namespace
}  // namespace heliolite::timeloop_ert_test
