// The work signature: how many mappings a serial search evaluates, and the cost it ends at, exactly. It fails when
// behaviour changes unnoticed. A change that means to update golden/signatures.txt (sunstone) or
// golden/signatures_exact.txt with the copy that this test writes, and says so and why.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/map.h"

namespace heliolite::signature_test {
namespace {

constexpr const char* kMachines[] = {"eyeriss", "edge_unified", "simba", "gemmini"};

std::string signature(const std::string& strategy, const std::vector<const char*>& workloads) {
  std::ostringstream out;
  for (const char* machine : kMachines) {
    const auto architecture = load_architecture(machine);
    for (const char* text : workloads) {
      const auto network = load_network(text);
      EXPECT_TRUE(architecture.ok() && network.ok());
      SearchOptions options;
      options.strategy = *parse_strategy(strategy);
      options.threads = 1;
      const auto r = map_workload(network->layers[0].workload, *architecture, options);
      EXPECT_TRUE(r.ok());
      if (strategy == "exact") {
        EXPECT_EQ(r->status, Status::Optimal) << machine << " " << text;
      }
      out << machine << " " << text << " evaluated " << r->statistics.evaluated << " energy "
          << static_cast<u64>(r->cost.energy.units >> 64) << ":" << static_cast<u64>(r->cost.energy.units) << " cycles "
          << r->cost.cycles << "\n";
    }
  }
  return out.str();
}

void expect_recorded(const std::string& file, const std::string& ours) {
  std::ifstream in(std::string(HELIOLITE_TEST_DATA) + "/golden/" + file);
  std::stringstream recorded;
  recorded << in.rdbuf();
  if (ours == recorded.str()) return;
  const std::string copy = ::testing::TempDir() + file;
  std::ofstream(copy) << ours;
  EXPECT_EQ(ours, recorded.str()) << "to update: cp " << copy << " tests/golden/" << file;
}

TEST(Signature, IsTheRecordedOne) {
  expect_recorded("signatures.txt",
                  signature("sunstone", {"resnet18/conv5_x", "resnet18/fc", "gemm:96x60x64", "mttkrp:16x12x20x18",
                                         "depthwise:c=32,p=14,q=14,r=3,s=3,stride=2"}));
}

// Of the whole strategy: the search that it starts from counts too.
TEST(Signature, OfExactIsTheRecordedOne) {
  expect_recorded("signatures_exact.txt", signature("exact", {"gemm:24x36x20", "conv:k=16,c=8,p=7,q=7,r=1,s=1",
                                                              "depthwise:c=8,p=7,q=7,r=3,s=3,stride=2"}));
}

}  // namespace
}  // namespace heliolite::signature_test
