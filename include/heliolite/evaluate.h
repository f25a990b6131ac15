#pragma once
// What a mapping costs: the totals (evaluate), and every count by level and tensor (explain).
//
//   heliolite::Workload gemm = *heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128");
//   heliolite::CostModel model(gemm, *heliolite::load_architecture("eyeriss"));
//   auto mapping = heliolite::load_mapping("best.yaml", gemm, model.architecture());
//   heliolite::Evaluation cost = model.evaluate(*mapping);                // .verdict: does it fit; .cost if it does
//   std::printf("%.0f pJ, %llu cycles\n", cost.cost.energy.picojoules(), (unsigned long long)cost.cost.cycles);
//   heliolite::Breakdown all = model.explain(*mapping);                   // all.level[i].tensor[v].reads
//   model.evaluate(*mapping, heliolite::Counts::True);                    // factors that do not divide: no averages
#include <heliolite/mapping.h>  // IWYU pragma: export

#include "engine/model/cost.h"        // IWYU pragma: export
#include "engine/model/cost_model.h"  // IWYU pragma: export
