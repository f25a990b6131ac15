// The public headers give what the engine gives: machines, workloads, mappings and their costs, in their plain forms
// and back.
#define HELIOLITE_API_APART
#include <gtest/gtest.h>
#include <heliolite/heliolite.h>

#include <string>
#include <vector>

#include "arch/architecture_yaml.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_yaml.h"
#include "workloads/einsum_text.h"
#include "workloads/workload_yaml.h"

namespace heliolite::api_inputs_test {
namespace {

constexpr const char* kGemm = "Z[m,n] += A[m,k]*B[k,n]; m=64,n=64,k=64";

std::string example(const char* file) { return std::string(HELIOLITE_TEST_DATA) + "/../examples/" + file; }

template <class T>
std::string errors_of(const Result<T>& result) {
  return result ? std::string() : to_string(result.errors());
}

TEST(ApiMachines, EveryPresetHasTheEnginesNumbers) {
  ASSERT_EQ(api::architecture_presets(), architecture_preset_names());
  for (const std::string& preset : api::architecture_presets()) {
    const auto machine = api::load_architecture(preset);
    const auto engine = load_architecture(preset);
    ASSERT_TRUE(machine && engine) << preset;
    EXPECT_EQ(machine->name(), engine->name);
    EXPECT_EQ(machine->area_um2(), engine->area_um2());
    EXPECT_EQ(machine->notes(), engine->notes);
    EXPECT_EQ(machine->yaml(), write_architecture(*engine));
    EXPECT_EQ(machine->compute().instances, engine->compute.instances);
    const std::vector<api::StorageLevel> levels = machine->levels();
    ASSERT_EQ(levels.size(), engine->levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) {
      EXPECT_EQ(levels[i].name, engine->levels[i].name);
      EXPECT_EQ(levels[i].capacity_words, engine->levels[i].capacity_words());
      EXPECT_EQ(levels[i].read_pj, engine->levels[i].energy.read_pj);
      EXPECT_EQ(levels[i].fanout_x * levels[i].fanout_y, engine->levels[i].fanout());
    }
  }
}

TEST(ApiMachines, AreVariedAsInAFile) {
  const auto machine = api::load_architecture("eyeriss_45nm");
  ASSERT_TRUE(machine);
  const auto varied = machine->with("GLB.capacity", "64 KB");
  ASSERT_TRUE(varied) << errors_of(varied);
  const auto wider = varied->with("GLB.fanout", "8x8");
  ASSERT_TRUE(wider) << errors_of(wider);
  const auto file = parse_architecture(
      "architecture:\n  base: eyeriss_45nm\n  name: eyeriss_45nm\n  levels:\n"
      "  - {name: GLB, capacity: 64 KB, fanout: 8x8}\n",
      "varied.yaml");
  ASSERT_TRUE(file) << errors_of(file);
  EXPECT_EQ(wider->yaml(), write_architecture(*file));  // energies, areas and instances follow
  EXPECT_NE(wider->levels()[3].read_pj, machine->levels()[3].read_pj);
}

TEST(ApiMachines, ComplaintsOfAVariantNameItsField) {
  const auto machine = api::load_architecture("eyeriss");
  ASSERT_TRUE(machine);
  const auto complaint = [&](const char* field, const char* value) {
    const auto varied = machine->with(field, value);
    EXPECT_FALSE(varied) << field << " = " << value;
    return errors_of(varied);
  };
  EXPECT_THAT(complaint("GLBB.capacity", "1 KB"), ::testing::HasSubstr("the machine has no level GLBB"));
  EXPECT_THAT(complaint("GLB.capacity", "much"), ::testing::StartsWith("GLB.capacity: "));
  EXPECT_THAT(complaint("GLB.name", "x"), ::testing::HasSubstr("no field that a parameter can set"));
  EXPECT_THAT(complaint("GLB.capacity", ""), ::testing::StartsWith("GLB.capacity: "));
}

TEST(ApiMachines, OfTimeloopsFilesAreVariedToo) {
  const auto eyeriss = api::load_architecture("eyeriss");
  const auto gemm = api::parse_einsum(kGemm);
  const auto files = api::timeloop_machine(*eyeriss, *gemm, "0.3");
  ASSERT_TRUE(files) << errors_of(files);
  const auto read = api::parse_architecture(files->architecture, "arch.yaml");
  ASSERT_TRUE(read) << errors_of(read);
  const auto varied = read->with("GLB.entries", "1024");
  ASSERT_TRUE(varied) << errors_of(varied);
  bool found = false;
  for (const api::StorageLevel& level : varied->levels()) found |= level.capacity_words == 1024;
  EXPECT_TRUE(found);
}

TEST(ApiWorkloads, NetworksHaveTheEnginesLayers) {
  for (const char* what : {"resnet18", "gemm:64x32x16", "bert_base"}) {
    const auto network = api::load_network(what);
    const auto engine = load_network(what);
    ASSERT_TRUE(network && engine) << what;
    EXPECT_EQ(network->macs(), engine->macs());
    EXPECT_EQ(network->yaml(), write_network(*engine));
    const std::vector<api::Layer> layers = network->layers();
    ASSERT_EQ(layers.size(), engine->layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      EXPECT_EQ(layers[i].count, engine->layers[i].count);
      EXPECT_EQ(layers[i].workload.yaml(), write_workload(engine->layers[i].workload));
      ASSERT_TRUE(network->find(layers[i].workload.name()));
    }
    EXPECT_FALSE(network->find("no such layer"));
  }
}

TEST(ApiWorkloads, EinsumsInCodeAreThoseOfTexts) {
  for (const char* text :
       {kGemm, "O[k,p] += I[c,2*p+r]*W[k,c,r]; k=8,c=4,p=16,r=3", "C[i,j] += A[i,k]*A[j,k]; i=8,j=8,k=8",
        "T[i,j] += A[i,k,l]*B[k,j]*C[l,j]; i=8,j=4,k=2,l=6"}) {
    const auto read = api::parse_einsum(text);
    ASSERT_TRUE(read) << errors_of(read);
    const api::Einsum plain = read->einsum();
    const auto made = api::Workload::create(plain);
    ASSERT_TRUE(made) << text << ": " << errors_of(made);
    EXPECT_EQ(made->yaml(), write_workload(*parse_einsum(text)));
    for (std::size_t v = 0; v < plain.tensors.size(); ++v) EXPECT_EQ(made->words(v), read->words(v));
  }
}

TEST(ApiWorkloads, ComplaintsOfAnEinsumNameTensorAndWhatIsAllowed) {
  api::Einsum einsum = api::parse_einsum(kGemm)->einsum();
  einsum.tensors[0].role = "inptu";
  einsum.tensors[1].ranks[0][0].dimension = "kk";
  const auto made = api::Workload::create(einsum);
  ASSERT_FALSE(made);
  EXPECT_THAT(errors_of(made), ::testing::AllOf(::testing::HasSubstr("must be input, weight or output"),
                                                ::testing::HasSubstr("did you mean 'input'"),
                                                ::testing::HasSubstr("unknown dimension 'kk'")));
  einsum = api::parse_einsum(kGemm)->einsum();
  for (api::Tensor& tensor : einsum.tensors) tensor.role.clear();
  EXPECT_FALSE(api::Workload::create(einsum)) << "no output";
}

TEST(ApiWorkloads, NetworksInCodeRefuseWhatFilesRefuse) {
  const auto gemm = api::parse_einsum(kGemm);
  EXPECT_TRUE(api::Network::create("one", {{*gemm, 3}}));
  EXPECT_THAT(errors_of(api::Network::create("twice", {{*gemm, 1}, {*gemm, 0}})),
              ::testing::AllOf(::testing::HasSubstr("different names"), ::testing::HasSubstr("count = 0")));
  EXPECT_FALSE(api::Network::create("none", {}));
}

TEST(ApiWorkloads, ReadOptionsAreThoseOfTheCommandLine) {
  api::ReadOptions options;
  options.word_bits = "weights=4,inputs=8,outputs=16";
  options.rename = "M=Q";
  const auto network = api::load_network("gemm:64x64x64", options);
  ASSERT_TRUE(network) << errors_of(network);
  const api::Einsum einsum = network->layers().front().workload.einsum();
  EXPECT_EQ(einsum.dimensions.front().name, "Q");
  for (const api::Tensor& tensor : einsum.tensors)
    EXPECT_EQ(tensor.word_bits, tensor.role == "weight" ? 4 : tensor.role == "input" ? 8 : 16);
  options.word_bits = "weights=many";
  options.rename = "=";
  const auto refused = api::load_network("gemm:64x64x64", options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().size(), 2) << "both at once";
}

TEST(ApiMappings, AreReadTakenApartAndPutTogether) {
  const auto machine = api::load_architecture("eyeriss");
  const api::Workload gemm = api::load_network("gemm:64x64x64")->layers().front().workload;
  const auto engine_machine = load_architecture("eyeriss");
  const Workload engine_gemm = load_network("gemm:64x64x64")->layers.front().workload;
  for (const char* file : {"gemm.yaml", "gemm_timeloop.yaml"}) {
    const auto mapping = api::load_mapping(example(file), gemm, *machine);
    ASSERT_TRUE(mapping) << errors_of(mapping);
    const auto engine = load_mapping(example(file), engine_gemm, *engine_machine);
    EXPECT_EQ(mapping->yaml(), write_mapping(*engine, engine_gemm, *engine_machine));
    EXPECT_EQ(*api::timeloop_mapping(*mapping), *write_timeloop_mapping(*engine, engine_gemm, *engine_machine));
    const auto again = api::create_mapping(mapping->levels(), gemm, *machine);
    ASSERT_TRUE(again) << errors_of(again);
    EXPECT_EQ(again->yaml(), mapping->yaml());
    const auto written = api::timeloop_mapping(*mapping, "0.4");
    ASSERT_TRUE(written) << errors_of(written);
  }
}

TEST(ApiMappings, WithShortLastTilesAndUnevenOnes) {
  const auto machine = api::parse_architecture(
      "architecture:\n  energy: pat\n  levels:\n  - {name: DRAM, dram: true}\n  - {name: Buf, entries: 4096}\n",
      "two.yaml");
  ASSERT_TRUE(machine) << errors_of(machine);
  const auto gemm = api::parse_einsum("Z[m,n] += A[m,k]*B[k,n]; m=32,n=64,k=7");
  const auto shorter = api::create_mapping(
      {{.level = "DRAM", .temporal = {{"k", 2}}}, {.level = "Buf", .temporal = {{"m", 32}, {"n", 64}, {"k", 4, 3}}}},
      *gemm, *machine);
  ASSERT_TRUE(shorter) << errors_of(shorter);
  EXPECT_FALSE(shorter->factors_divide());
  EXPECT_EQ(api::create_mapping(shorter->levels(), *gemm, *machine)->yaml(), shorter->yaml());
  const auto uneven = api::create_mapping({{.level = "Buf", .keep = {{"A"}}, .temporal = {{"n", 64}}},
                                           {.level = "Buf", .keep = {{"B", "Z"}}, .temporal = {{"m", 32}, {"k", 7}}}},
                                          *gemm, *machine);
  ASSERT_TRUE(uneven) << errors_of(uneven);
  EXPECT_EQ(uneven->levels().size(), 3) << "the outermost level, and two parts";
  EXPECT_EQ(api::create_mapping(uneven->levels(), *gemm, *machine)->yaml(), uneven->yaml());
  const auto refused = api::create_mapping({{.level = "Buff", .temporal = {{"k", 3}}}}, *gemm, *machine);
  ASSERT_FALSE(refused);
  EXPECT_THAT(errors_of(refused), ::testing::HasSubstr("Buff"));
}

TEST(ApiCosts, AreThoseOfTheModel) {
  const auto machine = api::load_architecture("eyeriss");
  const api::Workload gemm = api::load_network("gemm:64x64x64")->layers().front().workload;
  const auto mapping = api::load_mapping(example("gemm.yaml"), gemm, *machine);
  ASSERT_TRUE(mapping) << errors_of(mapping);
  const auto engine_machine = load_architecture("eyeriss");
  const Workload engine_gemm = load_network("gemm:64x64x64")->layers.front().workload;
  const Breakdown engine = CostModel(engine_gemm, *engine_machine)
                               .explain(*load_mapping(example("gemm.yaml"), engine_gemm, *engine_machine));
  const api::CostModel model(gemm, *machine);
  for (const char* counts : {"timeloop", "true"}) {
    const auto cost = model.evaluate(*mapping, counts);
    const auto all = model.explain(*mapping, counts);
    ASSERT_TRUE(cost && all) << errors_of(cost);
    EXPECT_EQ(cost->energy_pj, engine.energy.picojoules());
    EXPECT_EQ(cost->cycles, engine.cycles);
    EXPECT_EQ(all->energy_pj, cost->energy_pj);
    double sum = all->compute.energy_pj;
    for (std::size_t i = 0; i < all->levels.size(); ++i) {
      sum += all->levels[i].energy_pj;
      for (std::size_t v = 0; v < all->levels[i].tensors.size(); ++v)
        EXPECT_EQ(all->levels[i].tensors[v].reads, engine.level[i].tensor[v].reads);
    }
    EXPECT_NEAR(sum, cost->energy_pj, 1e-6 * sum);
  }
  EXPECT_THAT(errors_of(model.evaluate(*mapping, "exact")), ::testing::HasSubstr("must be timeloop or true"));
  const api::CostModel other(gemm, *machine->with("GLB.capacity", "200 KB"));
  EXPECT_THAT(errors_of(other.evaluate(*mapping)), ::testing::HasSubstr("which the model prices"));
  const api::CostModel same(*api::Workload::create(gemm.einsum()), *api::load_architecture("eyeriss"));
  EXPECT_EQ(same.evaluate(*mapping)->cycles, engine.cycles) << "an equal pair";
}

TEST(ApiTimeloop, RefusesVersionsThatThereAreNot) {
  const auto gemm = api::parse_einsum(kGemm);
  EXPECT_THAT(errors_of(api::timeloop_problem(*gemm, "0.5")), ::testing::HasSubstr("must be 0.3 or 0.4"));
  const auto problem = api::timeloop_problem(*gemm, "0.4");
  ASSERT_TRUE(problem);
  EXPECT_EQ(api::parse_network(problem->problem, "gemm.yaml")->macs(), gemm->macs());
}

}  // namespace
}  // namespace heliolite::api_inputs_test
