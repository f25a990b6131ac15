// The work signature: how many mappings a serial search evaluates, and the cost it ends at, exactly. It fails when
// behaviour changes unnoticed. A change that means to update golden/signatures.txt with what this test prints, and says
// so and why.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "arch/load.h"
#include "engine/search/map.h"
#include "workloads/load.h"

namespace heliolite {
namespace {

constexpr const char* kMachines[] = {"eyeriss", "edge_unified", "simba", "gemmini"};
constexpr const char* kWorkloads[] = {"resnet18/conv5_x", "resnet18/fc", "gemm:96x60x64", "mttkrp:16x12x20x18",
                                      "depthwise:c=32,p=14,q=14,r=3,s=3,stride=2"};

std::string signature() {
  std::ostringstream out;
  for (const char* machine : kMachines) {
    const auto architecture = load_architecture(machine);
    for (const char* text : kWorkloads) {
      const auto network = load_network(text);
      EXPECT_TRUE(architecture.ok() && network.ok());
      SearchOptions options;
      options.strategy = "sunstone";
      options.threads = 1;
      const auto r = map_workload(network->layers[0].workload, *architecture, options);
      EXPECT_TRUE(r.ok());
      out << machine << " " << text << " evaluated " << r->statistics.evaluated << " energy "
          << static_cast<u64>(r->cost.energy.units >> 64) << ":" << static_cast<u64>(r->cost.energy.units) << " cycles "
          << r->cost.cycles << "\n";
    }
  }
  return out.str();
}

TEST(Signature, IsTheRecordedOne) {
  std::ifstream file(std::string(HELIOLITE_TEST_DATA) + "/golden/signatures.txt");
  std::stringstream recorded;
  recorded << file.rdbuf();
  EXPECT_EQ(signature(), recorded.str());
}

}  // namespace
}  // namespace heliolite
