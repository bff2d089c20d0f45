"""An image classifier in the style of MobileNet: about 22,000 weights, images of 64 x 64."""

import torch
from torch import nn

from .blocks import ConvNorm, InvertedResidual

CLASSES = 20
IMAGE = (1, 3, 64, 64)


class Normalize(nn.Module):
    """Gives every colour of the image a mean near 0 and a deviation near 1."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.48, 0.46, 0.41]).view(1, 3, 1, 1))
        self.register_buffer("scale", torch.tensor([4.4, 4.5, 4.4]).view(1, 3, 1, 1))

    def forward(self, image):
        return (image - self.mean) * self.scale


class Classifier(nn.Module):
    """Averages over the image and names the three likeliest classes.

    XNNPACK has no topk: with that backend, the last step runs outside the delegate.
    """

    def __init__(self, channels):
        super().__init__()
        self.hidden = nn.Linear(channels, 64)
        self.scores = nn.Linear(64, CLASSES)

    def forward(self, x):
        x = x.mean(dim=(2, 3))
        x = torch.relu(self.hidden(x))
        probabilities = torch.softmax(self.scores(x), dim=-1)
        return torch.topk(probabilities, 3)


class MobileCnn(nn.Module):
    """Image in; the probabilities and numbers of the three likeliest classes out."""

    def __init__(self):
        super().__init__()
        self.normalize = Normalize()
        self.stem = ConvNorm(3, 8, 3, stride=2)
        self.body = nn.Sequential(
            InvertedResidual(8, 12, expand=3, stride=2),
            InvertedResidual(12, 12, expand=3),
            InvertedResidual(12, 24, expand=3, kernel=5, stride=2, gated=True),
            InvertedResidual(24, 24, expand=3, kernel=5, gated=True),
        )
        self.head = ConvNorm(24, 64, 1)
        self.classifier = Classifier(64)

    def forward(self, image):
        x = self.normalize(image)
        x = self.stem(x)
        x = self.body(x)
        x = self.head(x)
        values, classes = self.classifier(x)
        return values, classes


def build():
    torch.manual_seed(0)
    model = MobileCnn()
    # Random weights, but batch norm statistics that fit them, as in a trained network.
    with torch.no_grad():
        for _ in range(20):
            model.train()(torch.rand(8, *IMAGE[1:]))
    cases = [(torch.rand(IMAGE),) for _ in range(2)]
    return {"forward": (model.eval(), cases)}
