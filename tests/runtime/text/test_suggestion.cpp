#include <doctest/doctest.h>

#include "runtime/suggestion.hpp"

using troupe::did_you_mean;

TEST_CASE("the nearest known name is suggested") {
  const std::vector<std::string> known{"cnn", "cnn-bn", "linear", "resnet101", "resnet18", "resnet50", "softmax"};
  const auto suggests = [&](const std::string& typed, const std::string& meant) {
    CAPTURE(typed);
    CHECK(did_you_mean(typed, known) == "; did you mean '" + meant + "'?");
  };
  suggests("resnet5", "resnet50");
  suggests("rensnet50", "resnet50");
  suggests("ersnet50", "resnet50");
  suggests("ResNet50", "resnet50");
  suggests("resnet-50", "resnet50");
  suggests("soft", "softmax");
  suggests("resnet", "resnet18");  // the shorter of equally near names
  suggests("lienar", "linear");
  suggests("cnn_bn", "cnn-bn");
  suggests("cn", "cnn");
}

TEST_CASE("a text that is near to no name gets no suggestion") {
  const std::vector<std::string> known{"cnn", "linear", "softmax"};
  for (const std::string& typed : {std::string(), std::string("moon"), std::string("li"), std::string("transformer"),
                                   std::string("x"), std::string("lnr"), std::string(100'000, 'c')})
    CHECK_MESSAGE(did_you_mean(typed, known).empty(), typed.substr(0, 80));
  CHECK(did_you_mean("cnn", {}).empty());
}
