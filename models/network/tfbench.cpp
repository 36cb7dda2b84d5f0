#include "models/network/network.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

std::unique_ptr<Model> tfbench(std::int64_t batch) {
  constexpr int kClasses = 1001;
  return network(resnet(101, kClasses), mock_image_batches(224, kClasses, batch), batch);
}

}  // namespace troupe::models
