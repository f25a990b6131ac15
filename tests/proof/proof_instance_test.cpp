// Instances of presets and toys: their lines, and what has none, by name.
#include "engine/proof/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/architecture_yaml.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/proof/proof_file.h"

namespace heliolite::proof_instance_test {
namespace {

using proof::Instance;
using proof::instance_of;
using proof::text_of;
using ::testing::HasSubstr;

Workload layer(const std::string& network, const std::string& name) {
  const auto loaded = load_network(network);
  for (const Layer& l : loaded->layers)
    if (l.workload.name == name) return l.workload;
  return loaded->layers.front().workload;
}

std::string lines(const std::string& machine, const Workload& workload) {
  const Result<Instance> instance = instance_of(workload, *load_architecture(machine));
  EXPECT_TRUE(instance.ok()) << machine << ": " << to_string(instance.errors());
  return instance ? text_of(*instance) : "";
}

std::string refusal(const Workload& workload, const Architecture& machine) {
  const Result<Instance> instance = instance_of(workload, machine);
  return instance ? "" : instance.errors().front().message;
}

TEST(ProofInstance, APresetsLines) {
  EXPECT_EQ(lines("snowcat", layer("gemm:4x6x8", "")),
            "heliolite-instance 1\n"
            "unit 24\n"
            "mac 4194304\n"
            "dim M 4\n"
            "dim N 6\n"
            "dim K 8\n"
            "tensor A input M K\n"
            "tensor B input K N\n"
            "tensor Z output M N\n"
            "level Buffer room 2199023255552 block 1 read 905246164433215 fill 905246164433215 update 905246164433215\n"
            "keep A B Z\n"
            "loops M:1-4 N:1-6 K:1-8\n"
            "level MainMemory room - block 8 read 13421772800 fill 13421772800 update 13421772800\n"
            "keep A B Z\n"
            "loops M:1-4 N:1-6 K:1-8\n");
  const std::string simba = lines("simba", layer("resnet18", "conv5_1"));
  EXPECT_THAT(simba, HasSubstr("tensor Inputs input C R+2*P S+2*Q\n"));
  EXPECT_THAT(simba, HasSubstr("\nlevel WeightReg room 1 block 1 "));
  EXPECT_THAT(simba, HasSubstr(" clusters 16"));
  EXPECT_THAT(simba, HasSubstr(" hop "));
  EXPECT_THAT(simba, HasSubstr("\nkeep Inputs Outputs\nopen Weights\n"));
  EXPECT_THAT(lines("gpu_sm", layer("resnet18", "conv5_1")), HasSubstr("bw-s 51/10\n"));
}

// Half of a hop is a price, too.
TEST(ProofInstance, HopsHaveEvenPrices) {
  const Result<Instance> simba = instance_of(layer("resnet18", "conv5_1"), *load_architecture("simba"));
  ASSERT_TRUE(simba.ok());
  for (const proof::InstanceLevel& level : simba->levels)
    for (const proof::InstancePrices& price : level.of) EXPECT_EQ(price.hop % 2, 0);
}

TEST(ProofInstance, WhatHasNoneIsRefusedByName) {
  const Workload gemm = layer("gemm:8x8x8", "");
  Architecture machine = *load_architecture("edge_unified");
  machine.levels[1].network.router_pj = 1;
  EXPECT_EQ(refusal(gemm, machine), "no proof for machines with routers yet");
  machine = *load_architecture("edge_unified");
  machine.levels[2].network.ingress_pj = 1;
  EXPECT_EQ(refusal(gemm, machine), "no proof for networks below DRAM yet");
  machine = *load_architecture("edge_unified");
  machine.min_parallelism = 0.5;
  EXPECT_EQ(refusal(gemm, machine), "no proof for a least parallelism yet");
  const Workload strided = layer("Z[2*m,n] += A[m,k]*B[k,n]; m=4,n=4,k=4", "");
  EXPECT_EQ(refusal(strided, *load_architecture("edge_unified")), "no proof for outputs with strides or halos yet");
}

TEST(ProofInstance, Sha256) {
  EXPECT_EQ(proof::sha256_text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(proof::sha256_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace heliolite::proof_instance_test
