"""An image classifier in the style of MobileNet: 13,000 weights, images of 48 x 48."""

import torch
from torch import nn

from .blocks import ConvNorm, InvertedResidual

CLASSES = 20
SIZE = 48


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

    XNNPACK takes neither a mean that drops its dimensions nor topk, so an export for it has
    two delegates, and these two steps run as kernels between and after them.
    """

    def __init__(self, channels):
        super().__init__()
        self.hidden = nn.Linear(channels, 32)
        self.norm = nn.BatchNorm1d(32)
        self.scores = nn.Linear(32, CLASSES)

    def forward(self, x):
        x = x.mean(dim=(2, 3))
        x = torch.relu(self.norm(self.hidden(x)))
        probabilities = torch.softmax(self.scores(x), dim=-1)
        return torch.topk(probabilities, 3)


class MobileCnn(nn.Module):
    """Image in; the probabilities and numbers of the three likeliest classes out."""

    def __init__(self):
        super().__init__()
        self.normalize = Normalize()
        self.stem = ConvNorm(3, 8, 3, stride=2, act=nn.Hardswish)
        self.body = nn.Sequential(
            InvertedResidual(8, 12, expand=3, stride=2),
            InvertedResidual(12, 12, expand=3),
            InvertedResidual(12, 24, expand=2, kernel=5, stride=2, gated=True),
            InvertedResidual(24, 24, expand=2, kernel=5, gated=True),
        )
        self.head = ConvNorm(24, 48, 1, act=nn.Hardswish)
        self.classifier = Classifier(48)

    def forward(self, image):
        x = self.normalize(image)
        x = self.stem(x)
        x = self.body(x)
        x = self.head(x)
        values, classes = self.classifier(x)
        return values, classes


def blobs(count):
    """Images of soft spots in random colours."""
    spots = torch.rand(count, 3, 3, 3)
    return nn.functional.interpolate(spots, size=(SIZE, SIZE), mode="bilinear")


def build():
    torch.manual_seed(0)
    model = MobileCnn()
    # The weights stay random, but get what training would give them: batch norm statistics
    # that fit, and scores far enough apart to tell one image from another.
    with torch.no_grad():
        model.classifier.scores.weight.mul_(4)
        for _ in range(100):
            model.train()(blobs(8))
    cases = [(blobs(1),) for _ in range(2)]
    return {"forward": (model.eval(), cases)}
