#include <doctest/doctest.h>

#include "actors/test_models.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using troupe_test::kSanitized;
using troupe_test::quiet_options;

TEST_CASE("a ResNet-18 memorizes 64 images within 60 steps" * doctest::skip(kSanitized)) {
  Options options = quiet_options(Placement::in_process, 2);
  options.config = R"({"data": "mock-images:64,1001", "batch_size": 0})";
  edit(options)->learning_rate = 0.05;
  edit(options)->momentum = 0.9;
  DistributedSGD sgd("resnet18", options);
  double loss = 0;
  for (int step = 0; step < 60 && (step == 0 || loss > 0.1); ++step) loss = sgd.step().loss;
  CHECK(loss < 0.1);
}

TEST_CASE("the CNN with batch-norm reaches accuracy 0.91 on Fashion-MNIST in 5 epochs" * doctest::test_suite("long") *
          doctest::skip(kSanitized)) {
  Options options = quiet_options(Placement::in_process, 2);
  edit(options)->learning_rate = 0.05;
  edit(options)->momentum = 0.9;
  edit(options)->schedule.kind = ScheduleKind::cosine;
  edit(options)->schedule.total_steps = 5 * 469;
  DistributedSGD sgd("cnn-bn", options);
  REQUIRE(sgd.steps_per_epoch() == 469);
  for (int step = 0; step < 5 * 469; ++step) sgd.step();
  CHECK(sgd.evaluate().accuracy >= 0.91);
}
