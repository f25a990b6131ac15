// Machines from files: variants of others, reference tables beside them, and what is no machine.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "arch/architecture_yaml.h"
#include "arch/cost_resolver.h"
#include "arch/energy_tables.h"
#include "engine/formats/load_architecture.h"

namespace heliolite::architecture_files_test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// A scratch folder of files, removed with the test.
class ArchitectureFiles : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

 private:
  fs::path folder_ = fs::path(::testing::TempDir()) /
                     (std::string("heliolite_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ArchitectureFiles, VariantChangesWhatItStates) {
  const std::string path = write("mine.yaml", R"(
architecture:
  base: eyeriss
  levels:
  - {name: GLB, capacity: 54 KB}
  - {name: IfmapSpad, entries: 24, energy: 0.5}
)");
  const Result<Architecture> loaded = load_architecture(path);
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.errors());
  EXPECT_EQ(loaded->name, "mine");
  EXPECT_EQ(loaded->levels[3].entries, 27648U);
  EXPECT_EQ(loaded->levels[3].energy.read_pj, pat_sram_pj(27648, 16, 4));
  EXPECT_EQ(loaded->levels[3].fanout_x, 14U);
  EXPECT_EQ(loaded->levels[2].energy.read_pj, 0.5);
  EXPECT_EQ(loaded->levels[1].entries, 192U);
}

TEST_F(ArchitectureFiles, VariantsOfVariantsAndTheirMistakes) {
  write("one.yaml", "architecture: {base: eyeriss_45nm, technology_nm: 32}\n");
  const Result<Architecture> two = load_architecture(
      write("two.yaml", "architecture: {base: one.yaml, levels: [{name: WeightSpad, entries: 96}]}\n"));
  ASSERT_TRUE(two.ok()) << to_string(two.errors());
  EXPECT_EQ(two->levels[1].energy.read_pj, memory_cost(96, 16, 32).read_pj);

  const auto message = [](const Result<Architecture>& result) { return result.ok() ? "" : to_string(result.errors()); };
  EXPECT_NE(message(load_architecture(write("circle.yaml", "architecture: {base: circle.yaml}\n"))).find("circle"),
            std::string::npos);
  EXPECT_NE(message(load_architecture(write("typo.yaml", "architecture: {base: eyeris}\n"))).find("'eyeriss'"),
            std::string::npos);
  EXPECT_NE(message(load_architecture(
                        write("level.yaml", "architecture: {base: eyeriss, levels: [{name: PsumSpat, entries: 3}]}\n")))
                .find("did you mean 'PsumSpad'"),
            std::string::npos);
}

// Each of keep, bypass and open is inherited by itself: a variant is the machine that states both.
TEST_F(ArchitectureFiles, VariantsInheritWhatALevelHoldsKeyByKey) {
  const auto text = [](const std::string& mid) {
    return "architecture:\n  energy: pat\n  levels:\n  - {name: DRAM, dram: true}\n  - {name: Mid, entries: 6" + mid +
           "}\n";
  };
  struct Case {
    std::string base, variant, both;
  };
  for (const Case& c :
       {Case{"keep: [outputs]", "open: [weights]", "keep: [outputs], open: [weights]"},
        Case{"keep: [outputs]", "bypass: [weights]", "keep: [outputs], bypass: [weights]"},
        Case{"open: [inputs]", "keep: [outputs]", "open: [inputs], keep: [outputs]"},
        Case{"keep: [outputs]", "keep: [weights]", "keep: [weights]"},
        Case{"keep: [outputs, inputs]", "open: [outputs]", "keep: [inputs], open: [outputs]"},
        Case{"keep: [outputs]", "open: [outputs]", "keep: [], open: [outputs]"},
        Case{"keep: all", "open: [weights]", "keep: all, open: [weights]"},
        Case{"keep: [inputs], open: [weights]", "keep: all", "keep: all"},
        Case{"bypass: [weights]", "open: all", "open: all"}, Case{"", "open: [weights]", "open: [weights]"}}) {
    write("base.yaml", text(c.base.empty() ? "" : ", " + c.base));
    const auto variant = load_architecture(
        write("variant.yaml", "architecture: {base: base.yaml, levels: [{name: Mid, " + c.variant + "}]}\n"));
    const auto both = load_architecture(write("both.yaml", text(", " + c.both)));
    ASSERT_TRUE(variant.ok() && both.ok()) << to_string(variant.errors()) << to_string(both.errors());
    EXPECT_EQ(variant->levels[0].keep.keep, both->levels[0].keep.keep) << c.base << " / " << c.variant;
    EXPECT_EQ(variant->levels[0].keep.bypass, both->levels[0].keep.bypass) << c.base << " / " << c.variant;
  }
}

// A variant reduces as its base does, unless it says otherwise; what is written is read back.
TEST_F(ArchitectureFiles, VariantsReduceAsTheirBase) {
  write("base.yaml",
        "architecture:\n  energy: pat\n  levels:\n  - {name: Main, dram: true, reduction: true}\n"
        "  - {name: Buf, entries: 64, reduction: false}\n");
  const auto variant =
      load_architecture(write("variant.yaml", "architecture: {base: base.yaml, levels: [{name: Buf, entries: 32}]}\n"));
  const auto other = load_architecture(write(
      "other.yaml",
      "architecture: {base: base.yaml, levels: [{name: Buf, reduction: true}, {name: Main, reduction: false}]}\n"));
  ASSERT_TRUE(variant.ok() && other.ok()) << to_string(variant.errors()) << to_string(other.errors());
  EXPECT_TRUE(!variant->levels[0].reduces() && variant->levels[1].reduces());
  EXPECT_TRUE(other->levels[0].reduces() && !other->levels[1].reduces());
  for (const Architecture& a : {*variant, *other}) {
    const auto back = load_architecture(write("written.yaml", write_architecture(a)));
    ASSERT_TRUE(back.ok()) << to_string(back.errors());
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(back->levels[i].reduces(), a.levels[i].reduces()) << i;
  }
}

// Two levels; `buffer` is put into the inner level's map, `top` into the machine's.
std::string two_levels(const std::string& buffer, const std::string& top = "energy: pat") {
  return "architecture:\n  " + top + "\n  levels:\n  - {name: Main, dram: true}\n  - {name: Buf, " + buffer + "}\n";
}

constexpr const char* kTables = R"(
ERT:
  version: 0.3
  tables:
  - {name: system.Buf, actions: [{name: read, arguments: {}, energy: 2}, {name: write, arguments: {}, energy: 3}, {name: leak, arguments: {}, energy: 0.5}]}
  - {name: system.MAC, actions: [{name: compute, arguments: {}, energy: 0.7}]}
ART:
  version: 0.3
  tables:
  - {name: system.Buf, area: 99}
)";

TEST_F(ArchitectureFiles, ReferenceTablesByKeyAndByComma) {
  const std::string ert = write("ert.yaml", kTables);
  const std::string by_comma = write("plain.yaml", two_levels("entries: 4"));
  const std::string by_key =
      write("keyed.yaml", two_levels("entries: 4", "energy: pat\n  ert: ert.yaml\n  art: ert.yaml"));
  for (const std::string& what : {by_comma + "," + ert, by_key}) {
    const Result<Architecture> loaded = load_architecture(what);
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.errors());
    EXPECT_EQ(loaded->levels[0].energy.read_pj, 2);
    EXPECT_EQ(loaded->levels[0].energy.update_pj, 3);
    EXPECT_EQ(loaded->levels[0].leak_pj_per_cycle, 0.5);
    EXPECT_EQ(loaded->levels[0].area_um2, 99);
    EXPECT_EQ(loaded->levels[1].energy.read_pj, 200);
    EXPECT_EQ(loaded->compute.op_pj, 0.7);
  }
  const Result<Architecture> stated =
      load_architecture(write("stated.yaml", two_levels("entries: 4, energy: 9")) + "," + ert);
  ASSERT_TRUE(stated.ok());
  EXPECT_EQ(stated->levels[0].energy.read_pj, 9);
}

// The fenced YAML of the manual page.
std::vector<std::string> examples(const fs::path& page) {
  std::ifstream in(page);
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = line == "```yaml";
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

TEST_F(ArchitectureFiles, TheManualsExamplesWork) {
  const Names blocks = examples(fs::path(HELIOLITE_TEST_DATA) / ".." / "docs" / "formats_architecture.md");
  ASSERT_EQ(blocks.size(), 6U);
  for (const std::string& block : blocks) {
    const Result<Architecture> loaded = load_architecture(write("example.yaml", block));
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.errors());
    EXPECT_GT(loaded->area_um2(), 0);
  }
}

TEST_F(ArchitectureFiles, WhatIsNoArchitecture) {
  const auto message = [](const std::string& what) {
    const Result<Architecture> result = load_architecture(what);
    return result.ok() ? "" : to_string(result.errors());
  };
  EXPECT_NE(message("/no/such/file.yaml"), "");
  EXPECT_NE(message(::testing::TempDir()), "");
  EXPECT_NE(message(""), "");
  EXPECT_NE(message(","), "");
  EXPECT_NE(message(write("empty.yaml", "")), "");
  EXPECT_NE(message(write("list.yaml", "- 1\n- 2\n")).find("architecture"), std::string::npos);
  EXPECT_NE(message(write("scalar.yaml", "architecture: 3\n")), "");
  EXPECT_NE(message("eyeriss," + write("other.yaml", "a: 1\n")).find("ERT"), std::string::npos);
}

}  // namespace
}  // namespace heliolite::architecture_files_test
