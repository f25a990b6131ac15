// Renamed dimensions: by the user, and to fit the constraints of a machine.
#include "engine/space/constraint_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/formats/load_network.h"
#include "workloads/network.h"

namespace heliolite::fit_names_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Network network(const std::string& text) {
  const Result<Network> n = load_network(text);
  EXPECT_TRUE(n.ok()) << to_string(n.errors());
  return n ? *n : Network{};
}

// A machine whose constraints name these dimensions.
Architecture machine(const std::vector<std::string>& names) {
  Architecture a;
  a.name = "machine";
  a.levels.resize(2);
  a.levels[0].constraints.spatial.allowed_x = names;
  return a;
}

std::string names(const Workload& w) {
  std::string out;
  for (const Dimension& d : w.dimensions) out += d.name;
  return out;
}

TEST(FitNames, RenamesOutputChannels) {
  Network conv = network("conv:p=8,c=4,k=8,r=3");
  fit_names(conv, machine({"N", "C", "M", "R", "S"}));
  EXPECT_EQ(names(conv.layers[0].workload), "RSPQCMN");
  EXPECT_THAT(conv.notes, ElementsAre(HasSubstr("is called M by the constraints of machine, and here: --rename K=M")));
  Network again = conv;
  fit_names(again, machine({"K"}));
  EXPECT_EQ(names(again.layers[0].workload), "RSPQCKN") << "and back";
}

TEST(FitNames, LeavesWhatMayMeanSomethingElse) {
  const Workload conv = network("conv:p=8,c=4,k=8,r=3").layers[0].workload;
  EXPECT_THAT(fitting_renames(conv, machine({"K", "C"})), IsEmpty()) << "fits";
  EXPECT_THAT(fitting_renames(conv, machine({"M", "K"})), IsEmpty()) << "both names are used";
  EXPECT_THAT(fitting_renames(conv, machine({"M", "X"})), IsEmpty()) << "another is missing";
  EXPECT_THAT(fitting_renames(conv, machine({"output_channel", "pixel"})), IsEmpty()) << "classes";
  const Workload gemm = network("gemm:8x8x8").layers[0].workload;
  EXPECT_THAT(fitting_renames(gemm, machine({"C"})), IsEmpty());
  const Workload rows = network("o[M,N] += a[M,C]*b[C,N]; M=4,N=4,C=4").layers[0].workload;
  EXPECT_THAT(fitting_renames(rows, machine({"K"})), IsEmpty()) << "K may be the sum's dimension";
}

TEST(FitNames, RenamesRowsAndColumnsWithTheirKernels) {
  Network conv = network("conv:n=2,p=8,q=4,c=4,k=8,r=3,s=1");
  fit_names(conv, machine({"B", "K", "C", "OX", "OY", "FX", "FY"}));  // ZigZag's
  EXPECT_EQ(names(conv.layers[0].workload), "FXFYOXOYCKB");
  EXPECT_THAT(conv.notes, ElementsAre(HasSubstr("--rename N=B,R=FX,S=FY,P=OX,Q=OY")));
  EXPECT_EQ(conv.layers[0].workload.dimensions[2].size, 8U) << "P, which slides with R";
  Network eyeriss = network("conv:p=8,c=4,k=8,r=3");
  fit_names(eyeriss, machine({"M", "E", "F", "R"}));
  EXPECT_EQ(names(eyeriss.layers[0].workload), "RSEFCMN");
  const Workload layer = network("conv:p=8,c=4,k=8,r=3").layers[0].workload;
  EXPECT_THAT(fitting_renames(layer, machine({"C", "F"})), IsEmpty()) << "F may be filters";
  EXPECT_THAT(fitting_renames(layer, machine({"P", "Q", "E", "F"})), IsEmpty()) << "both conventions";
  // Dilated rows that slide with the other kernel dimension are no rows of this convention.
  const Workload crossed = network("o[k,P,Q] += w[k,c,R,S]*i[c,P+S,Q+R]; k=4,c=4,P=4,Q=4,R=3,S=3").layers[0].workload;
  EXPECT_THAT(fitting_renames(crossed, machine({"E", "F"})), IsEmpty());
  EXPECT_EQ(rename_advice(network("gemm:8x8x8").layers[0].workload, machine({"M", "N", "C"})), "; --rename K=C");
  EXPECT_THAT(rename_advice(crossed, machine({"E", "F"})), HasSubstr("--rename OLD=E,OLD=F, OLD one of"));
}

TEST(FitNames, GivesDepthwiseLayersTheMissingDimension) {
  Network both = network("conv:p=8,c=4,k=8,r=3");
  both.layers.push_back(network("depthwise:p=8,c=8,r=3").layers[0]);
  both.layers[1].workload.name = "dw";
  fit_names(both, machine({"C", "M"}));
  EXPECT_EQ(names(both.layers[1].workload), "RSPQCNM");
  EXPECT_EQ(both.layers[1].workload.dimensions.back().size, 1U);
  EXPECT_TRUE(check(both.layers[1].workload).empty());
  EXPECT_THAT(both.notes, ElementsAre(HasSubstr("dimension M = 1 added to dw"), HasSubstr("--rename K=M")));
}

// K alone may be output channels or what a product sums over: beside convolutions it is theirs.
TEST(FitNames, ProductsBesideConvolutionsAreCalledLikeThem) {
  Network net = network("conv:p=8,c=4,k=8,r=3");
  net.layers.push_back(network("gemm:8x4x2").layers[0]);
  Network same = net;
  fit_products(net, machine({"K"}));
  EXPECT_EQ(names(net.layers[0].workload), "RSPQCKN");
  EXPECT_EQ(names(net.layers[1].workload), "KNC");
  EXPECT_THAT(net.notes, ElementsAre(HasSubstr("those of the product are called alike: M is K and K is C")));
  fit_products(same, machine({"C", "K"}));
  EXPECT_EQ(names(same.layers[1].workload), "MNK") << "C says what is meant";
  Network alone = network("gemm:8x4x2");
  fit_products(alone, machine({"K"}));
  EXPECT_EQ(names(alone.layers[0].workload), "MNK");
}

TEST(FitNames, RenamesAsTheUserSays) {
  Network conv = network("conv:p=8,c=4,k=8,r=3");
  EXPECT_THAT(rename_dimensions(conv, *parse_renames("K=C, C=K")), IsEmpty());
  EXPECT_EQ(names(conv.layers[0].workload), "RSPQKCN");
  EXPECT_THAT(to_string(rename_dimensions(conv, *parse_renames("K=C"))), HasSubstr("would have two dimensions 'C'"));
  EXPECT_THAT(to_string(rename_dimensions(conv, *parse_renames("M=C"))), HasSubstr("has no dimension 'M'"));
  for (const char* bad : {"", "K", "K=", "=M", "K=M,K=N", "K=a b"}) EXPECT_FALSE(parse_renames(bad)) << bad;
}

}  // namespace
}  // namespace heliolite::fit_names_test
