#pragma once
// How it is computed: the loop nest of every level, and what each level keeps. Read, checked and written.
//
//   auto machine = heliolite::load_architecture("eyeriss");
//   auto gemm = heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128");
//   auto mapping = heliolite::load_mapping("best.yaml", *gemm, *machine);   // our format, an answer of `map --json`,
//   if (!mapping) std::puts(to_string(mapping.errors()).c_str());           // or Timeloop's
//   else std::puts(write_mapping(*mapping, *gemm, *machine).c_str());       // also write_timeloop_mapping()
#include <heliolite/architecture.h>  // IWYU pragma: export
#include <heliolite/workload.h>      // IWYU pragma: export

#include "engine/formats/load_mapping.h"      // IWYU pragma: export
#include "engine/formats/timeloop/mapping.h"  // IWYU pragma: export
#include "engine/model/mapping.h"             // IWYU pragma: export
#include "engine/model/mapping_check.h"       // IWYU pragma: export
#include "engine/model/mapping_yaml.h"        // IWYU pragma: export
