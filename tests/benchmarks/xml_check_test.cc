#include "tests/benchmarks/xml_check.h"

#include <gtest/gtest.h>

namespace bloomery::bench {
namespace {

TEST(XmlCheck, TakesWhatIsWellFormed) {
  for (const char* xml : {"<a/>", "<a>text</a>\n", "<a b=\"1\" c=\"&lt;\"><d/><d>&amp;</d></a>"}) {
    EXPECT_EQ(XmlCheck::fault(xml), std::nullopt) << xml;
  }
}

TEST(XmlCheck, FindsWhatIsNot) {
  for (const char* xml :
       {"", "text", "<a>", "</a>", "<a></b>", "<a><b></a></b>", "<a/><b/>", "<a>&</a>",
        "<a>&nbsp;</a>", "<a b=1/>", "<a b=\"1/>", "<a b=\"<\"/>", "<a b=\"1\" b=\"2\"/>", "<a",
        "<a>1 < 2</a>", "<a>\x01</a>", "<a/>text", "< a/>"}) {
    EXPECT_NE(XmlCheck::fault(xml), std::nullopt) << xml;
  }
}

}  // namespace
}  // namespace bloomery::bench
