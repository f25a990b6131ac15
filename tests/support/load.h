#pragma once
// Workloads and machines by name, for tests that take both for granted.
#include <gtest/gtest.h>

#include <string>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"

namespace heliolite::testing {

// The first layer of a preset, file or compact text.
inline Workload workload(const std::string& text) {
  const auto network = load_network(text);
  EXPECT_TRUE(network.ok()) << to_string(network.errors());
  return network->layers.front().workload;
}

inline Architecture machine(const std::string& name) {
  const auto architecture = load_architecture(name);
  EXPECT_TRUE(architecture.ok()) << to_string(architecture.errors());
  return *architecture;
}

}  // namespace heliolite::testing
